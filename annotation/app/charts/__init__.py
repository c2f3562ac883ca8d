"""The curator's charts, drawn as all charts are (`benchwright.pages`), and the component that shows them."""
