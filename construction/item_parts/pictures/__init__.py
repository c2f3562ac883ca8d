"""Pictures that items show: the used part of a photograph, its size, its pieces and its second view."""
