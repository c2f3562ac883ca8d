"""Pictures that items show: the part of a photograph that is used, its size, its pieces and its second view."""
