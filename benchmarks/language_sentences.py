"""Sentences of questions about pictures, for `language_errors.py`: 200 without an error, and 80 whose words disagree.

All sentences are our own. Of the first two lists, which were written before the rules were tuned, every second sentence
is held back: the first, third, fifth and so on of each list may change the rules, and the others test them. The last
list, written after the rules and before any run on it, is held back entirely.
"""

from __future__ import annotations

CLEAN = tuple(
    line
    for line in """\
What is the man holding in his left hand?
How many people are standing near the fountain?
Which animal is closer to the camera?
Is there a dog under the table?
What does the sign above the door say?
Why might the children be laughing?
Which of the two vases is an antique?
How many of the windows have been broken?
Is the woman wearing an orange scarf or a red hat?
What does the broken clock stand for in this drawing?
The artist uses an empty chair to show absence.
Which city does the skyline in the photograph belong to?
Was this photograph taken at sunrise or at noon?
What would happen if the rope were cut?
How does the mood change from the first panel to the last?
Is the boy who sits on the bench reading a newspaper?
Which object could be used to open the bottle?
A European flag hangs from an old balcony.
What is the relation between the two players?
Are the man and the woman looking at each other?
Does the horse have a white spot on its forehead?
What material is the roof made of?
Which fruit lies at the bottom of the basket?
How many sheep are grazing on the hill?
What is unusual about the shadow of the tree?
Is an umbrella visible in the background?
The cartoonist mocks people who believe everything they read online.
Who painted the ceiling that is shown here?
Which of these dishes is served cold?
What colour is the bicycle that leans against the wall?
Are there any clouds in the sky?
Is the traffic light green or red?
Which team won the match, according to the scoreboard?
What year was the bridge opened?
Does the picture show a museum or a university?
How far is the boat from the shore?
An hour has passed since the candle was lit.
What do the arrows on the map point to?
Which brand made the car in the foreground?
What was the temperature when the photo was taken?
How long has the cat been sleeping on the sofa?
Why is the queue outside the bakery so long?
What might the astronaut's smile suggest?
The tower casts a shadow over the square.
Can the number on the jersey be read?
Which of the following statements is true of the chart?
Is the glass half full or half empty?
How many floors does the building on the right have?
What is written on the blackboard behind the teacher?
Which dish would a vegetarian choose?
Did the driver stop before the crossing?
What is the name of the flower with yellow petals?
How many children are playing with the ball?
Whose hat is lying on the grass?
Does this bridge cross the Danube or the Rhine?
What emotion does the sculptor express in this statue?
Is the plane taking off or landing?
Which instrument is played by the woman in the middle?
What ingredients are needed for this soup?
There are three lemons and a knife on the cutting board.
It shows that greed makes people blind to danger.
The small fish swim together and scare the big one away.
Has the snow on the roof started to melt?
Where does the path between the two houses lead?
Which key on the keyboard is missing?
What kind of bird is sitting on the fence?
How heavy is the parcel, judging by the scale?
What is the weather like in the picture?
Which statue was built first?
Is it a photograph or a painting?
What do the colours of the flag stand for?
Does it have four wheels?
What game are they playing on the beach?
How tall is the girl compared with her brother?
What could the empty swing represent?
Which container holds the most water?
Is that a unicorn on the poster?
The machine replaces an honest worker with a useful robot.
Which hand does the violinist use to hold the bow?
What is hidden behind the curtain?
How old is the bread in the display, according to the label?
Why are the firefighters spraying the neighbouring house?
Which path is the shortest way to the station?
What did the photographer focus on?
How many wine glasses can be seen on the shelf?
Who is most likely the owner of the shop?
Where would you find this animal in the wild?
Is the lighthouse to the left of the pier?
Which slice of the cake is the largest?
What time does the clock on the tower show?
How is the fabric of the dress decorated?
Which step comes after the flour has been sifted?
What does the contrast between the two streets tell us?
Is the referee about to blow his whistle?
The caption contradicts what the picture shows.
An elephant stands beside a one-storey house.
What is reflected in the puddle?
Which of the mugs has a handle on the left?
How many passengers fit into the cable car?
Can this tool be used without electricity?
What profession does the woman in the uniform have?
Who wrote the book that lies open on the desk?
Which season is shown in the painting?
What is the total of the items on the receipt?
Is the skateboarder wearing a helmet?
Why has the artist left the face blank?
How many legs does the stool have?
What is the purpose of the yellow line on the platform?
Which planet is drawn next to the sun?
The soldiers carry flowers instead of weapons.
Do both towers have the same height?
What is the girl in the striped shirt pointing at?
Which organisation uses this logo?
Where was the sculpture found?
What distinguishes the leaves of this plant?
Is the surface of the lake smooth?
How many of the seats are taken?
What will the chef probably do next?
Which bottle has been opened?
Does the drawing criticise the government or the press?
What pattern do the tiles form?
Is there an exit on this side of the hall?
Which of the two roads is wet?
A hungry fox waits in front of an open gate.
What is the difference between the two pictures?
How many candles are burning on the cake?
What kind of celebration is taking place?
Who is holding the microphone?
Is the statue made of bronze or marble?
Which way is the wind blowing?
What makes the scene in the kitchen funny?
How would you describe the expression of the cashier?
Are these mushrooms safe to eat?
What is the highest value on the vertical axis?
Which country borders the one that is coloured blue?
What does the ladder lean on?
Is the parking lot in front of the hotel empty?
The wolf in the mirror looks like a lamb.
What is the woman's relationship to the child?
How many pages does the calendar have left?
Which pair of shoes belongs to the runner?
What causes the smoke above the forest?
Is the ferry larger than the sailing boat?
Which word on the banner is underlined?
What can be bought in this shop?
How was the wall damaged?
Which bird is different from the others?
What does the doctor hold against the patient's chest?
Is the left half of the apple rotten?
Every student has a laptop except the boy in the last row.
What is served with the fish?
Which exit leads to the airport?
What time of day is it?
How many stripes does the zebra's tail have?
Is this dinosaur a plant eater?
Which century does the castle date from?
What does the silence of the crowd imply?
Who benefits from the deal that the cartoon shows?
Is the boat tied to the jetty?
What is the shape of the swimming pool?
Which of the ropes is the thickest?
How many eggs are left in the carton?
What can you infer from the footprints?
The bridge was closed because of the flood.
Is the suitcase on the belt open?
Which cup is nearest to the edge?
What does the trophy symbolise?
Who is standing on the highest step?
What is the largest vegetable on the stall?
How deep is the hole, judging by the spade?
Is the sofa blue or grey?
Which line of the poem has been crossed out?
What keeps the balloon from flying away?
Are the bananas riper than the pears?
What holiday is being celebrated here?
Which museum owns this painting?
Where is the entrance to the cave?
How many goals were scored in the second half?
Is the bus going uphill?
What does the tattoo on his arm show?
Which letter is missing from the sign?
Is a helmet required in this area?
What sort of music does the band play?
How are the two triangles related?
Which cable is plugged into the monitor?
What is the boy afraid of?
What does the owl on the book cover symbolise?
Is the mountain covered with snow?
Which of these buildings was designed by Gaudí?
What happened before the vase fell?
The chain is only as strong as its weakest link.
How many oranges are in the bowl?
Why is one of the chairs upside down?
Which spice gives the dish its colour?
What is the man in the suit selling?
Is the path wide enough for a car?
What language is the menu written in?
Which animal in the picture can fly?
What advice does the poster give?
Does the woman in the boat need an oar?""".splitlines()
)

DISAGREEING = tuple(
    """\
How many cat are lying on the sofa?
Is there two cups on the table?
Are there a bicycle behind the house?
What does the woman in the picture holds?
Does the man has a beard?
There is three birds on the wire.
Are the boy who stand there happy?
How many person can be seen?
Did the girl went through the door?
Is the man wear a hat?
These is the tools of a carpenter.
Do the woman look at the camera?
How many children is on the swing?
It have a red roof and two chimneys.
They was waiting for the bus.
Is the children happy?
What can be sees in the window?
Two man are carrying a ladder.
The people in the boat is rowing.
Which of the dogs are belong to the girl?
Are there one lamp above the desk?
Does the children play in the garden?
What do the sign say?
How many apple do you see in the basket?
She have an umbrella in her hand.
Can the boy reaches the shelf?
This are the keys of the house.
A women sits at the window.
Was the boats built of wood?
Several child are running across the field.
Did the driver stopped at the light?
How much people are in the room?
The cat are sleeping on the chair.
Is the dog sleep under the table?
Those man look tired.
What is the two boys doing?
Do it have four legs?
Will the train arrives on time?
We was told that the bridge is closed.
The leaves is falling from the tree.""".splitlines()
)

DISAGREEING_HELD_BACK = tuple(
    """\
How many bottle stand on the shelf?
Is there five chairs around the table?
Are there a clock on the tower?
What does the girl in the red coat carries?
Does the dog has a collar?
There is many candles on the cake.
The boys that sits on the wall are laughing.
How many mouse can you see in the cage?
Did the boat sank before the storm?
Is the woman read a letter?
These is old stamps from France.
Do the baker sell bread here?
How many women is wearing hats?
He have a broken umbrella.
We is looking at a map of Rome.
Is the women older than the man?
What can be saw through the keyhole?
Three woman are sitting in the boat.
The flowers in the vase is yellow.
Which of these cars are belongs to the doctor?
Are there one person in the lift?
Does the windows face the sea?
What do the label on the jar say?
How many spoon lie beside the plate?
It do not look like a real horse.
Could the driver sees the sign?
This are the ruins of an old mill.
A children hides behind the door.
Were the picture taken at night?
Many leaf are lying on the ground.
Did the children ate all of the cake?
How much cars are parked here?
The man are holding a hammer.
Are the girl point at the moon?
Those child wear the same cap.
What are the woman in the middle doing?
Do he look sad or tired?
Must the player wears gloves?
They has never seen snow before.
The windows of the house is broken.""".splitlines()
)
