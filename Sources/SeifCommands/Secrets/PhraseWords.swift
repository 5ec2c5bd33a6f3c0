internal import SeifCommandLine

/// The words that phrases are made of: 1,024, so that each is worth ten bits. Our own list: everyday words of three to
/// eight letters a to z. The order matters to nobody but the tests.
enum PhraseWords {
  static let count = 1024

  /// Separated by a space or a line end.
  static let text = """
    abacus acorn acrobat adobe agate agave airport alarm album alcove alder algae alley almanac almond aloe alpine
    alto amber amble amulet anchor angle ankle anthem antique antler anvil apple apricot april apron arbor arcade
    archive arena armor aroma arrow artist ash aspen atlas atrium attic august aurora autumn avenue avocado awning
    baboon bacon badger bagel baker balcony ballad ballet balloon bamboo banana banjo banner barber barge bark
    barley barn baroque barrel basil basin basket batch bather bayou beach beacon beagle beaker beam bean bear
    beaver beech beetle belfry bellow belt bench beret berry bicycle binder biplane birch biscuit bishop bison
    blanket blaze blend blossom boat bobbin bobcat bolt bonfire bonnet bonsai book boot border bottle boulder
    bouquet bowl bracket braid branch brandy brass bravo bread breeze brick bridge bronze brook broom brother brown
    brush bubble bucket buckle budget buffalo bugle bulb bundle burrow bush button cabin cable cactus cake calico
    calm camera canal canary candle candy canoe canvas canyon cape caramel caravan carbon cargo caribou carol carpet
    carrot cart carve cascade cashew castle catalog cattle cavern cedar celery cellar cello cement cereal chain
    chair chalet chalk chapel chapter charm chart cheese cheetah cherry chess chicken chimney chin chorus cider
    cinema circle circus citadel citrus city clam clay clerk cliff climate climb clock cloth cloud clover coach
    coaster cobalt cobbler cobra cocoa coconut coffee coil coin collage collar colony comet compass concert condor
    cone cookie copper coral cork corner cornet cosmos cottage cotton couch cougar cousin cover coyote cradle crane
    crater crayon cream creek cricket crimson crisp crocus crown cruise crumb crystal cube cuckoo cupcake curl curry
    curtain cushion cycle cymbal cypress dahlia dairy daisy dancer dawn decade deck deer delta denim depot desert
    desk diamond diary dinghy dinner dish dock dolphin domino donkey dove dozen drawer dream dress drum duck duet
    dune dusk dust dynamo eagle early earth easel east echo eclair eclipse eel eight elbow elder elk elm ember
    emerald emu engine epic equal evening fable fabric falcon family fanfare farmer feast feather fence fennel fern
    ferry fiddle field fiesta fifty fig film finch finger firefly fjord flag flame flannel flask fleece flicker
    flint float flock floor flour flower flute foam fog folder forest fork fortune fossil frame freckle freight
    friday frog frost fruit fudge galaxy gallery garden garlic garnet gate gazelle gecko geese gentle geyser giant
    ginger giraffe glacier glade glass globe glove glue goat gold gondola goose gorge grain granite grape grass
    gravel gravy green grid grove guitar gulf gull guppy habit hail hall halo hammer hammock hamster handle harbor
    harp harvest hat hawk hazel heart heath hedge helmet herb heron herring hickory hill hinge hobby hockey holly
    honey hood hoof hook horizon horn horse hotel house hover hub humble hummus husk iceberg icicle igloo inch
    indigo ink inlet insect iris iron island ivory ivy jacket jade jaguar jam january jar jasmine jelly jersey jewel
    jigsaw jingle jolly journal journey joyful juggle juice july jumper june jungle juniper kale kayak kelp kennel
    kernel kettle kiln kingdom kitchen kite kitten kiwi knee knight knot koala label lace ladder ladle lagoon lake
    lamb lamp lantern lapel larch lark laser laurel lava lawn leaf leather ledge lemon lentil leopard letter lettuce
    library lichen lilac lily lime linen lion lizard llama lobby lobster locket lodge loft logic lotus lumber lunar
    lunch lute lynx magic magnet magpie mallet mango mantle maple marble march margin marina market marmot marsh
    mason meadow medal mellow melody melon merlin meteor metro milk mill mimosa mineral minnow mint mirror mist
    mitten moat mole monday monkey month moon moose morning mosaic moss moth motor mouse muffin murmur museum music
    mustard myrtle napkin narrow nation nature navy nectar needle nephew nest nettle nickel night noodle noon north
    novel nugget number nutmeg nylon oak oasis oat oboe ocean october octopus olive omelet onion opal opera orange
    orbit orchard orchid organ osprey ostrich otter oval oven owl oxygen oyster paddle page paint palace palm
    pancake panda panel pantry paper paprika parade parcel park parrot parsley pasta pastel path patio pattern peach
    peacock peanut pearl pebble pecan pedal pelican pencil penguin pepper perch petal piano pickle picnic picture
    pigeon pillow pilot pine pink pioneer pitcher pixel pizza planet plank plate plaza plum pocket poem polar pond
    pony poplar poppy porch porter potato pottery powder prairie pretzel prism puddle puffin pumpkin puppet purple
    puzzle pyramid quail quarry quartz quiet quill quilt quince quiver rabbit raccoon radar radio radish raft rain
    raisin ranch raven ravine recipe reed reef relay rhubarb rhythm ribbon rice ridge ring ripple river road robin
    rocket rodeo roof rooster root rope rowing ruby rudder ruler rumble runner rustic rye saddle saffron sage sail
    salad salmon salt sandal sapling satin saturn saucer scallop scarf school scooter scout season secret seed
    sesame seven shadow shallow shark shawl sheep shelf shell sherbet shield ship shore shovel shrimp shuttle silk
    silver singer sister sixty skate sketch skirt sky slate sled sleeve slipper sloth smile smoke snail snow soap
    socket sofa soil solar solo sonnet soup south spade sparrow spice spider spinach spiral spoon spring sprout
    spruce squash squid stable stadium stage stamp star station statue steam steel stem step stereo stitch stone
    stork storm story stove straw stream street string studio sugar suitcase summer summit sunday sunny sunset surf
    swallow swan sweater swift swing sycamore syrup tablet tailor talent tango tapestry teacup teal teapot temple
    tennis tent terrace thicket thimble thistle thread thunder thursday thyme ticket tide tiger tile timber tinsel
    toast toffee tomato topaz torch tortoise totem toucan tower town toy tractor trail train travel tray treasure
    tree trellis triangle trombone trophy trout truffle trumpet trunk tuba tuesday tulip tuna tundra tunnel turkey
    turnip turtle tweed twenty twig twilight twist umber umbrella uncle unicorn uniform universe upper urban
    vacation valley vanilla velvet vendor veranda verse vessel viaduct village vinegar vineyard viola violet violin
    visitor vivid volcano volley voyage waffle wagon walnut walrus waltz warbler water wave wax weasel weather
    weaver west whale wharf wheat wheel whisker whistle white wicker willow window winter wisdom wizard wolf wonder
    wood wool workshop wren writer yacht yard yarn yearly yellow yodel yogurt yonder zebra zenith zephyr zigzag zinc
    zinnia zipper zucchini
    """
}
