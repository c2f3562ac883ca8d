"""The curator's charts, drawn like all charts (`benchwright.pages`), and the component that shows them."""
