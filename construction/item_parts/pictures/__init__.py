"""Pictures that items show: what of a photograph is used, at which size, in pieces and from another view."""
