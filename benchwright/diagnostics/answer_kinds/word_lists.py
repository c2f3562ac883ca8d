"""Frequent English words by the kind of thing that they name, for determining the kinds of an option.

Words are in the singular and compounds in their usual spelling, separated by commas. A word in several rows has several
kinds: an orange is a food and a color. A word in no row has no known kind.
"""

from __future__ import annotations

from collections import defaultdict

_ROWS: dict[str, str] = {
    "color": """
red, blue, green, yellow, orange, purple, violet, pink, brown, black, white, gray, grey, gold, golden, silver,
beige, tan, cyan, magenta, turquoise, teal, maroon, navy, navy blue, indigo, crimson, scarlet, olive, lime, khaki,
cream, ivory, lavender, lilac, burgundy, bronze, copper, amber, charcoal, mustard, ochre, rust, peach, coral,
salmon, rainbow, multicolored, multicolor, colorful, blond, blonde, mauve, aqua, mint, emerald, ruby, transparent,
clear""",
    "pattern": """
striped, stripes, checkered, plaid, spotted, dotted, polka dot, plain, floral, zigzag, solid, paisley, camouflage""",
    "weekday": """
monday, tuesday, wednesday, thursday, friday, saturday, sunday, weekend, weekday""",
    "month": """
january, february, march, april, may, june, july, august, september, october, november, december""",
    "season": """
spring, summer, autumn, fall, winter, rainy season, dry season, monsoon""",
    "daytime": """
morning, noon, midday, afternoon, evening, night, midnight, dawn, dusk, sunrise, sunset, daytime, nighttime, late
afternoon, early morning, lunchtime, bedtime, today, tomorrow, yesterday, tonight""",
    "weather": """
sunny, rainy, cloudy, snowy, foggy, windy, stormy, overcast, misty, hazy, rain, snow, fog, mist, hail, sunshine,
wind, storm, thunderstorm, sleet, drizzle, blizzard, humid, partly cloudy, freezing, hot, cold, warm, cool, mild,
hurricane, tornado, thunder, lightning""",
    "material": """
sandstone, slate, suede, cobblestone, limestone, oxygen, nitrogen, hydrogen, helium, carbon dioxide, methane,
carbon, water vapor, dirt, soil, twig, snow, crystal, copper wire, styrofoam, corduroy, flannel, tweed, ebony,
mahogany, charcoal, coal, oil, gasoline, steam, smoke, salt, chalk, wire, thread, yarn, nickel, zinc, mercury,
sulfur, plywood, fiberglass, linoleum, parchment, wood, metal, plastic, glass, stone, brick, concrete, steel, iron,
aluminum, aluminium, copper, bronze, gold, silver, cotton, wool, silk, linen, leather, denim, polyester, nylon,
velvet, fur, paper, cardboard, clay, ceramic, porcelain, rubber, marble, granite, sand, straw, bamboo, wicker,
cement, asphalt, gravel, timber, mortar, fabric, cloth, foam, wax, brass, tin, lead, titanium, platinum, felt, lace,
satin, canvas, tile, plaster, mud, ice, vinyl, hardwood, chrome, oak""",
    "emotion": """
happy, sad, angry, surprised, afraid, scared, bored, excited, tired, calm, nervous, proud, confused, worried,
jealous, happiness, sadness, anger, fear, joy, surprise, disgust, disgusted, boredom, excitement, pride, shame,
ashamed, guilt, envy, jealousy, grief, love, hate, anxiety, anxious, frightened, cheerful, gloomy, relaxed, furious,
annoyed, lonely, shocked, embarrassed, disappointed, disappointment, curious, curiosity, relief, relieved, hope,
hopeful, content, amused, upset, depressed, delighted, joyful, confusion, sorrow, rage""",
    "shape": """
circle, square, triangle, rectangle, oval, pentagon, hexagon, octagon, cube, sphere, cone, cylinder, pyramid, star,
diamond, heart, ellipse, trapezoid, trapezium, rhombus, parallelogram, kite, crescent, prism, round, circular,
rectangular, triangular, spherical, heptagon, polygon, cuboid, semicircle, spiral""",
    "direction": """
left, right, up, down, north, south, east, west, northeast, northwest, southeast, southwest, upward, downward,
forward, backward, straight ahead, straight on, clockwise, counterclockwise, anticlockwise, upwards, downwards,
forwards, backwards, straight, diagonally, sideways, to the left, to the right""",
    "animal": """
blue whale, killer whale, orca, grey seal, narwhal, manatee, dugong, platypus, echidna, wombat, dingo, tapir,
anteater, porcupine, opossum, weasel, mink, ermine, stoat, chipmunk, gopher, lemming, vole, shrew, mongoose, jackal,
coyote, bobcat, cougar, puma, panther, ocelot, yak, ibex, oryx, wildebeest, gnu, impala, warthog, boar, wild boar,
baboon, macaque, marmoset, gibbon, tarantula, centipede, millipede, termite, cockroach, flea, tick, louse, mantis,
praying mantis, firefly, cicada, earthworm, leech, clam, oyster, mussel, scallop, coral, sponge, sea urchin, sea
horse, seahorse, manta ray, stingray, piranha, catfish, goldfish, clownfish, swordfish, mackerel, herring, sardine,
anchovy, halibut, pike, perch, bass, newt, salamander, tadpole, python, cobra, rattlesnake, viper, boa, anaconda,
komodo dragon, tortoiseshell cat, tabby, ostrich, emu, kiwi, albatross, cormorant, puffin, turkey vulture, condor,
osprey, kite, buzzard, partridge, pheasant, quail, cuckoo, nightingale, starling, blackbird, thrush, swallow, swift,
lark, cardinal, blue jay, jay, mallard, ibis, spoonbill, toucan, macaw, cockatoo, budgie, parakeet, stallion, mare,
ram, ewe, rooster, cub, fawn, joey, dinosaur, mammoth, unicorn, dragon, dog, cat, horse, cow, sheep, pig, goat,
chicken, hen, duck, goose, turkey, rabbit, hare, mouse, rat, hamster, squirrel, fox, wolf, bear, polar bear, panda,
lion, tiger, leopard, cheetah, jaguar, elephant, giraffe, zebra, rhino, rhinoceros, hippo, hippopotamus, camel,
donkey, mule, deer, moose, elk, antelope, gazelle, buffalo, bison, bull, ox, monkey, ape, gorilla, chimpanzee,
orangutan, kangaroo, koala, bat, hedgehog, badger, otter, beaver, raccoon, skunk, seal, walrus, sea lion, whale,
dolphin, shark, fish, salmon, trout, tuna, cod, carp, eel, octopus, squid, crab, lobster, shrimp, jellyfish,
starfish, turtle, tortoise, snake, lizard, crocodile, alligator, frog, toad, snail, slug, worm, spider, scorpion,
ant, bee, wasp, fly, mosquito, butterfly, moth, beetle, ladybug, ladybird, grasshopper, cricket, dragonfly,
caterpillar, bird, eagle, hawk, falcon, owl, crow, raven, pigeon, dove, parrot, penguin, swan, flamingo, peacock,
sparrow, robin, finch, wren, seagull, gull, pelican, stork, heron, woodpecker, puppy, kitten, calf, lamb, foal,
pony, poodle, beagle, collie, terrier, labrador, dalmatian, bulldog, husky, dachshund, german shepherd, golden
retriever, chihuahua, boxer, pug, corgi, greyhound, spaniel, siamese, persian, llama, alpaca, lemur, sloth,
armadillo, chameleon, iguana, gecko, ferret, guinea pig, reindeer, lynx, hyena, meerkat, mole, vulture, canary,
magpie, kingfisher, hummingbird, insect, mammal, reptile, rodent, piglet, duckling, chick""",
    "food": """
cream, whipped cream, sour cream, mayonnaise, sauce, soy sauce, vinegar, olive oil, oil, spice, herb, ginger, chili,
vanilla, syrup, maple syrup, jelly, marmalade, nutella, tart, brownie, macaron, croquette, baguette, roll, pita,
tortilla, nachos, guacamole, salsa, hummus, falafel, kebab, sashimi, ramen, miso soup, fried rice, spring roll,
meatball, meatloaf, roast beef, chicken wing, drumstick, fillet, oyster, caviar, nectarine, tangerine, mandarin,
cranberry, gooseberry, currant, passion fruit, dragon fruit, lychee, guava, sweet potato, brussels sprouts, kale,
artichoke, okra, parsnip, chickpea, soybean, quinoa, couscous, sweets, snack, dessert, lollipop, chewing gum,
marshmallow, gingerbread, cheesecake, birthday cake, fruit salad, mashed potatoes, baked beans, scrambled eggs,
truffle, apple, pear, banana, orange, lemon, lime, grape, cherry, strawberry, raspberry, blueberry, blackberry,
plum, peach, apricot, mango, pineapple, melon, watermelon, kiwi, fig, date, coconut, papaya, pomegranate,
grapefruit, avocado, tomato, potato, carrot, onion, garlic, cucumber, lettuce, cabbage, spinach, broccoli,
cauliflower, pepper, eggplant, zucchini, pumpkin, corn, pea, bean, lentil, mushroom, radish, beet, celery,
asparagus, leek, turnip, rice, pasta, noodle, spaghetti, bread, toast, bagel, croissant, cake, cookie, biscuit, pie,
donut, doughnut, muffin, cupcake, pancake, waffle, ice cream, chocolate, candy, cheese, butter, yogurt, egg, meat,
beef, pork, ham, bacon, sausage, steak, chicken, turkey, lamb, fish, salmon, tuna, shrimp, lobster, crab, soup,
salad, sandwich, burger, hamburger, hot dog, pizza, taco, burrito, sushi, curry, stew, omelet, omelette, fries,
french fries, chips, popcorn, nut, peanut, almond, walnut, honey, jam, sugar, salt, flour, cereal, oatmeal,
porridge, ketchup, mustard, fruit, vegetable, berry, dumpling, risotto, paella, lasagna, pretzel, salami, tofu,
olive, raisin, pudding, pastry, quiche, breakfast, lunch, dinner, supper, caramel, cinnamon, basil, parsley, mint""",
    "drink": """
tea, coffee, water, milk, juice, orange juice, apple juice, beer, wine, red wine, white wine, lemonade, soda, cola,
hot chocolate, cocoa, whiskey, vodka, champagne, espresso, cappuccino, latte, smoothie, cocktail, cider, mineral
water, milkshake, iced tea, green tea""",
    "vehicle": """
car, bus, truck, van, train, tram, bicycle, bike, motorcycle, motorbike, scooter, taxi, boat, ship, sailboat, yacht,
ferry, coach, canoe, kayak, raft, airplane, plane, aeroplane, aircraft, helicopter, jet, rocket, submarine, tractor,
bulldozer, excavator, ambulance, fire truck, fire engine, police car, subway, metro, lorry, minivan, wagon,
carriage, sled, sleigh, skateboard, tricycle, unicycle, jeep, suv, sedan, pickup, pickup truck, trailer, camper,
rickshaw, limousine, hot air balloon, tank, forklift, school bus, race car, sports car, moped, barge, tanker,
warship, gondola, automobile""",
    "sport": """
soccer, football, basketball, baseball, tennis, golf, rugby, hockey, ice hockey, volleyball, cricket, badminton,
boxing, swimming, running, cycling, skiing, snowboarding, skating, surfing, sailing, rowing, climbing, gymnastics,
wrestling, judo, karate, fencing, archery, bowling, table tennis, ping pong, polo, handball, water polo, figure
skating, diving, skateboarding, jogging, chess, horse riding, lacrosse, weightlifting, softball, squash, croquet,
darts, curling, javelin, butterfly, breaststroke, backstroke, freestyle, crawl, front crawl""",
    "game": """
chess, checkers, poker, cards, dominoes, bingo, monopoly, hopscotch, hide and seek, tag, backgammon, dice, solitaire""",
    "body": """
skull, rib, spine, throat, wrist, palm, eyebrow, eyelash, lip, jaw, thigh, calf, shin, hoof, fin, gill, scale,
feather, shell, tusk, trunk, mane, whisker, antler, stem cell, vein, artery, intestine, pancreas, bladder, uterus,
retina, iris, pupil, cornea, esophagus, trachea, head, face, eye, ear, nose, mouth, tooth, tongue, chin, cheek,
forehead, hair, neck, shoulder, arm, elbow, hand, finger, thumb, chest, back, stomach, belly, waist, hip, leg, knee,
ankle, foot, toe, heel, skin, bone, heart, lung, liver, kidney, brain, muscle, beard, mustache, paw, tail, wing,
beak, fur, claw, horn""",
    "profession": """
surfer, cyclist, swimmer, runner, skier, golfer, jockey, boxer, wrestler, gymnast, goalkeeper, player, basketball
player, tennis player, drummer, cellist, flutist, rapper, comedian, juggler, acrobat, ballerina, model, designer,
fashion designer, florist, jeweler, shoemaker, cobbler, watchmaker, optician, paramedic, midwife, psychologist,
therapist, biologist, chemist, physicist, historian, archaeologist, geologist, mathematician, explorer, diver,
logger, lumberjack, roofer, mason, glazier, translator, editor, novelist, philosopher, diplomat, ambassador,
senator, general, captain, sergeant, spy, sheriff, cowboy, beekeeper, milkman, cab driver, truck driver, train
driver, delivery driver, courier, butler, maid, nanny, babysitter, housekeeper, pastor, bishop, pope, rabbi, imam,
emperor, duke, duchess, samurai, gladiator, security guard, flight engineer, stewardess, steward, tour guide,
vendor, street vendor, fruit seller, salesperson, sales clerk, landlord, manager, director, ceo, consultant,
analyst, economist, web developer, graphic designer, illustrator, cameraman, news anchor, dj, hiker, climber,
farmer's wife, doctor, dentist, nurse, teacher, baker, judge, cook, chef, waiter, waitress, farmer, soldier, sailor,
pilot, driver, painter, singer, dancer, actor, actress, writer, lawyer, butcher, tailor, plumber, gardener,
carpenter, firefighter, fireman, policeman, police officer, postman, mailman, engineer, scientist, student,
librarian, photographer, barber, hairdresser, fisherman, miner, priest, king, queen, artist, musician, guitarist,
journalist, secretary, mechanic, electrician, cashier, guard, athlete, surgeon, pharmacist, vet, veterinarian,
astronaut, architect, accountant, clown, magician, conductor, referee, coach, bus driver, taxi driver, construction
worker, builder, bricklayer, shopkeeper, salesman, programmer, politician, president, prince, princess, knight,
monk, nun, professor, poet, composer, sculptor, bartender, flight attendant, lifeguard, detective, shepherd, hunter,
blacksmith, potter, cleaner, janitor, receptionist, merchant, banker, businessman, businesswoman, tourist, clerk,
welder, violinist, pianist, reporter, officer, worker""",
    "person": """
passerby, bystander, spectator, audience, fan, supporter, volunteer, patient, prisoner, criminal, hero, superhero,
ghost, vampire, zombie, mermaid, angel, devil, santa claus, fairy, giant, dwarf, elf, old man, old woman, young man,
young woman, roommate, classmate, owner, leader, winner, loser, tenant, citizen, immigrant, refugee, pensioner,
orphan, godmother, grandparents, parents, siblings, spouse, fiancé, girlfriend, boyfriend, stepmother, man, woman,
boy, girl, child, baby, toddler, teenager, adult, person, mother, father, brother, sister, son, daughter,
grandmother, grandfather, grandma, grandpa, aunt, uncle, cousin, nephew, niece, husband, wife, friend, neighbor,
neighbour, stranger, couple, family, kid, lady, gentleman, customer, passenger, pedestrian, cyclist, parent, infant,
crowd, bride, groom, twin, colleague, boss, visitor, guest, mayor, teammate, people, police, thief, pirate, witch""",
    "furniture": """
chair, table, sofa, couch, bed, desk, bench, stool, armchair, shelf, bookshelf, bookcase, wardrobe, cupboard,
cabinet, dresser, drawer, nightstand, rocking chair, dining table, coffee table, crib, cradle, hammock, mattress,
recliner, chest of drawers, sideboard""",
    "clothing": """
shirt, t-shirt, blouse, sweater, jumper, jacket, coat, raincoat, dress, skirt, pants, trousers, jeans, shorts, suit,
tie, scarf, glove, mitten, hat, cap, helmet, hood, beanie, turban, sock, stocking, shoe, boot, sandal, sneaker,
slipper, heel, belt, uniform, apron, vest, swimsuit, bikini, pajamas, robe, hoodie, cardigan, glasses, sunglasses,
goggles, mask, backpack, bow tie, veil, kimono, tuxedo, overalls, cape, crown, headscarf, bonnet, poncho, leggings""",
    "jewelry": """
ring, necklace, bracelet, earring, brooch, watch, pendant, tiara, crown, gem, pearl, ruby, emerald, sapphire""",
    "instrument": """
violin, guitar, piano, flute, trumpet, drum, cello, harp, clarinet, saxophone, trombone, accordion, banjo, ukulele,
viola, double bass, tuba, oboe, bassoon, harmonica, xylophone, tambourine, organ, keyboard, mandolin, recorder,
bagpipes, triangle, cymbal, bass, lute, horn, saw, french horn, bongo, sitar, bass guitar, electric guitar""",
    "tool": """
hammer, saw, drill, screwdriver, wrench, pliers, chisel, axe, ax, shovel, spade, rake, hoe, ladder, knife, scissors,
rope, nail, screw, bolt, brush, paintbrush, broom, mop, bucket, needle, wheelbarrow, crowbar, sickle, scythe,
pickaxe, hose, lawn mower, tape measure, chainsaw, toolbox, toothbrush, comb, razor, sponge, spanner, hatchet,
trowel, pitchfork""",
    "kitchenware": """
knife, spoon, fork, ladle, plate, bowl, cup, glass, mug, pot, pan, frying pan, kettle, spatula, whisk, saucer,
teapot, jug, pitcher, tray, cutting board, chopping board, oven, stove, fridge, refrigerator, toaster, microwave,
blender, dishwasher, freezer, chopsticks, corkscrew, grater, napkin, skillet, colander""",
    "household": """
toothpaste, shampoo, carburetor, engine, wheel, tire, keyboard, charger, cable, coaster, doorbell, lightbulb, bell,
hanger, frame, matches, lighter, cigarette, pipe, anchor, net, fishing rod, tent, sleeping bag, binoculars,
parachute, wheelchair, stroller, pram, playpen, high chair, stamp, postcard, ticket, coin, bill, chain, lock, hook,
spring, magnet, microscope, thermometer, stethoscope, syringe, trophy, medal, spoonful, whistle, candlestick,
chandelier, tablecloth, broomstick, bookmark, folder, briefcase, computer mouse, lawnmower, trampoline, swing,
seesaw, slide, puzzle, robot, drone, typewriter, sewing machine, air conditioner, satellite, cannon, arrow, spear,
paperclip, tape, glue, crayon, marker, chalkboard, blackboard, whiteboard, billboard, traffic light, street lamp,
mailbox, fire hydrant, parking meter, sign, lamp, desk lamp, candle, torch, clock, mirror, vase, carpet, rug,
curtain, pillow, blanket, towel, picture, painting, poster, bathtub, sink, toilet, shower, umbrella, key, wallet,
purse, handbag, suitcase, bag, box, basket, bottle, jar, can, bin, barrel, crate, flag, ball, balloon, kite, doll,
teddy bear, toy, book, newspaper, magazine, letter, envelope, stapler, pen, pencil, ruler, eraser, notebook,
calculator, camera, phone, telephone, cell phone, smartphone, laptop, computer, tablet, monitor, television, tv, tv
set, radio, remote control, printer, headphones, microphone, speaker, battery, fan, heater, washing machine, vacuum
cleaner, iron, racket, bat, skateboard, surfboard, sword, gun, rifle, bow, shield, soap, ladder, fence, gate, door,
window, chimney, roof, wall, flower pot, ceiling lamp, lantern, flashlight, cane, stick, statue, fountain, paper
clip, light bulb, plug, map, globe, telescope""",
    "building": """
house, school, church, hospital, hotel, restaurant, museum, library, theater, theatre, cinema, bank, shop, store,
supermarket, factory, office, station, train station, airport, castle, palace, tower, temple, mosque, cathedral,
barn, farm, garage, stadium, prison, jail, bridge, lighthouse, windmill, skyscraper, apartment, cottage, cabin,
bakery, pharmacy, post office, police station, fire station, gym, warehouse, university, market, cafe, bar, pub,
mall, shopping mall, greenhouse, courthouse, town hall, embassy, observatory, monastery, zoo, playground, office
building""",
    "room": """
kitchen, bathroom, bedroom, living room, dining room, hallway, basement, attic, garage, classroom, balcony,
corridor, laundry room, office, cellar, waiting room, lobby, nursery, closet, study, terrace, patio, staircase""",
    "landscape": """
atlantic, pacific, indian ocean, arctic, atlantic ocean, pacific ocean, arctic ocean, mediterranean, equator, north
pole, south pole, sidewalk, pavement, alley, intersection, crossroads, driveway, path, trail, tunnel, dam, canal,
creek, stream, lagoon, reef, peninsula, rooftop, campsite, cemetery, orchard, vineyard, pasture, quarry, mine, dock,
pier, marina, ski slope, runway, football field, tennis court, sky, the sky, horizon, iceberg, beach, forest,
mountain, hill, lake, river, sea, ocean, desert, island, valley, field, meadow, garden, park, street, road, city,
village, town, harbor, harbour, port, coast, seaside, waterfall, jungle, swamp, cave, countryside, canyon, volcano,
glacier, cliff, pond, yard, backyard, highway, square, parking lot, playground, swimming pool, pool, downtown,
suburb, farm, zoo, woods, shore, bay, plain, savanna, rainforest, prairie, riverbank, dune""",
    "plant": """
seed, fruit, bud, bark, thorn, twig, cone, pollen, vine, mushroom, algae, redwood, sequoia, banyan, baobab,
eucalyptus, magnolia, jasmine, hyacinth, begonia, geranium, petunia, aloe, agave, sycamore, walnut tree, fig tree,
olive tree, lotus, bonsai, shrub, tree, flower, grass, bush, oak, maple, birch, pine, elm, ash, beech, willow, fir,
spruce, palm, palm tree, cedar, poplar, rose, tulip, daisy, lily, sunflower, orchid, daffodil, violet, lavender,
carnation, iris, poppy, ivy, fern, moss, cactus, hedge, leaf, branch, root, stem, petal, bamboo, wheat, barley, oat,
rye, hay, seaweed, weed, chestnut, apple tree, cherry tree, dandelion, lilac, marigold, peony, hydrangea, holly,
clover""",
    "country": """
germany, france, italy, spain, portugal, austria, switzerland, belgium, netherlands, denmark, sweden, norway,
finland, poland, greece, ireland, england, scotland, wales, russia, ukraine, egypt, kenya, nigeria, india, japan,
brazil, argentina, canada, mexico, australia, new zealand, china, turkey, iran, iraq, israel, saudi arabia, south
africa, morocco, ethiopia, ghana, chile, peru, colombia, venezuela, cuba, united states, usa, united kingdom, uk,
hungary, romania, bulgaria, serbia, croatia, iceland, thailand, vietnam, indonesia, malaysia, philippines, south
korea, pakistan, bangladesh, nepal, mongolia, kazakhstan, chad, andorra, czech republic, slovakia, slovenia,
estonia, latvia, lithuania""",
    "continent": """
europe, asia, africa, north america, south america, antarctica, australia, oceania, america""",
    "city": """
rome, madrid, london, paris, berlin, vienna, lisbon, athens, dublin, oslo, stockholm, helsinki, copenhagen, warsaw,
prague, budapest, brussels, amsterdam, moscow, kyiv, istanbul, cairo, tokyo, beijing, shanghai, seoul, delhi, new
delhi, mumbai, bangkok, sydney, melbourne, toronto, montreal, chicago, boston, new york, los angeles, san francisco,
mexico city, rio de janeiro, buenos aires, lima, nairobi, lagos, munich, hamburg, milan, venice, barcelona, geneva,
zurich, kyoto, osaka, hong kong, singapore, dubai, seattle, miami, houston, washington, las vegas, florence, naples,
manchester, liverpool, edinburgh, glasgow, lyon, marseille, cologne, frankfurt, santiago, havana, hanoi, jakarta,
manila""",
    "language": """
english, french, german, spanish, italian, portuguese, russian, chinese, japanese, korean, arabic, hindi, turkish,
dutch, swedish, norwegian, danish, finnish, polish, czech, greek, hebrew, latin, hungarian, thai, vietnamese,
mandarin, cantonese, persian, urdu, bengali, swahili, ukrainian, romanian""",
    "planet": """
mercury, venus, earth, mars, jupiter, saturn, uranus, neptune, pluto, the moon, moon, the sun, sun""",
    "size": """
smooth, rough, silky, soft, hard, sharp, wet, dry, fluffy, bumpy, sticky, slippery, shiny, dull, flat, curved,
straight, heavy, light, old, young, new, rusty, dirty, clean, broken, empty, full, open, closed, wooden, painted,
sour, sweet, bitter, salty, spicy, loud, quiet, fast, slow, deep, shallow, high, low, rich, poor, narrow, big,
small, large, tiny, huge, medium, little, enormous, giant, gigantic, wide, tall, short, thick, thin""",
    "action": """
painting, drawing, dance, ballet, yoga, homework, laundry, housework, shopping, gardening, singing, smile, frown,
wave, jump, kick, throw, handshake, hug, kiss""",
    "abstract": """
stock market, equator, mathematics, economics, psychology, law, geography, journalism, architecture, trust, dream,
idea, logic, fashion, culture, language, advertising, copyright, taxation, unemployment, theory, statistics, quantum
physics, romance, horror, comedy, drama, tragedy, irony, gravity, democracy, freedom, justice, peace, war, love,
truth, beauty, time, money, music, history, science, physics, chemistry, biology, philosophy, religion, politics,
economy, photosynthesis, evolution, algebra, geometry, grammar, poverty, wealth, wisdom, knowledge, electricity,
magnetism, inflation, friendship, loyalty, courage, patience, intelligence, education, health, happiness, silence,
luck, faith, revolution, the french revolution, world war ii, capitalism, communism, liberty, honesty, memory,
infinity, sunlight, energy, air, gossip, poetry, literature, calculus, astronomy, independence, jazz, rock music,
globalization, bankruptcy""",
    "event": """
anniversary, retirement, strike, protest, demonstration, war, battle, landslide, avalanche, drought, sale, dance,
play, reunion, exam, lecture, ceremony, coronation, auction, victory, volcanic eruption, carnival, baptism,
interview, trial, marathon, rehearsal, earthquake, flood, wedding, birthday, party, concert, festival, parade,
funeral, election, match, race, accident, fire, explosion, meeting, holiday, christmas, easter, halloween,
thanksgiving, new year, picnic, eclipse, graduation""",
}  # fmt: skip


def _by_word() -> dict[str, frozenset[str]]:
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    for kind, row in _ROWS.items():
        for word in row.split(","):
            kinds[" ".join(word.split())].add(kind)
    return {word: frozenset(of) for word, of in kinds.items()}


KINDS_OF_WORD = _by_word()
"""Kinds of things that each word or compound names, in lowercase."""
KINDS = frozenset(_ROWS)
"""All kinds that have a row."""
