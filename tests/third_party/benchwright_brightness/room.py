from benchwright import Entry, Room

ROOM = Room(
    name="brightness",
    steps={"brightness": Entry("benchwright_brightness.brightness:Brightness", "Drops images that are too dark.")},
)
