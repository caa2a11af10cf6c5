/** Handles for those who sign up without choosing one. Pure. */

const adjectives =
  "able agile airy amber ample ancient apt azure balmy bold brave breezy brief bright brisk bronze calm candid careful cheerful chilly civic clear clever coastal coral cosy crimson crisp curious daring deft dewy early earnest easy eager fabled fair famous fancy fast fertile festive fine firm fleet fluent fond frank free fresh frosty gentle gilded glad gleaming golden good grand green happy hardy hazel hearty honest humble icy idle indigo ivory jade jolly joyful keen kind late leafy light lively local lofty loyal lucid lucky lunar lush mellow merry mild mighty misty modest mossy native neat nimble noble olive open opal patient placid plain polite proud prompt quick quiet rapid rare ready regal rosy round royal ruby rustic sandy scarlet serene sharp shiny silent silken silver simple sincere sleek smart smooth snowy social soft solar solid sonic spare spry stable starry steady still stoic stout sturdy subtle sunny supple sure sweet swift tall teal tender tidy tranquil true trusty upbeat useful valiant vast velvet verdant vivid warm wary whole wild windy wise witty woolly young zesty"
const animals =
  "adder albatross alpaca anchovy ant antelope auk avocet badger barbel bear beaver bee beetle bison bittern blackbird bluebird boar bobcat bream bulbul bullfinch bumblebee bunting butterfly buzzard camel canary capybara caracal caribou carp cat catfish chamois cheetah chicken chinchilla chipmunk cicada clam cod condor coot cormorant cougar coyote crab crane cricket crow cuckoo curlew deer dingo dolphin donkey dormouse dove dragonfly duck dunlin eagle eel egret eider elk emu ermine falcon fennec ferret finch firefly flamingo flounder fox frog gannet gazelle gecko gerbil gibbon giraffe gnu goat goldfinch goose gopher grebe grouse gull guppy haddock halibut hamster hare harrier hawk hedgehog heron herring hippo hoopoe hornet horse ibex ibis iguana impala jackal jackdaw jaguar jay kestrel kingfisher kite kiwi koala koi krill lamb lapwing lark lemming lemur leopard linnet lion lizard llama lobster loon lynx macaw magpie mallard manatee marmot marten martin merlin minnow mole mongoose moose moth mouse mussel narwhal newt nightjar nuthatch ocelot octopus okapi oriole osprey otter owl ox oyster panda panther parrot partridge peacock pelican penguin perch petrel pheasant pigeon pika pike plover pony porpoise puffin puma quail quokka rabbit raccoon ram raven redstart reindeer robin rook salmon sandpiper seal sardine serval shark sheep shrew shrike skink skylark sloth snail snipe sparrow sprat squid squirrel stag starfish starling stoat stork sturgeon swallow swan swift tapir tarsier teal tern terrapin thrush tiger toad tortoise toucan trout tuna turtle viper vole wagtail walrus warbler weasel whale whippet wigeon wolf wombat woodcock wren yak zebra"

const words = { adjectives: adjectives.split(" "), animals: animals.split(" ") }

/** Random numbers of any size, one for each word and one for what follows them. */
export type Numbers = readonly [adjective: number, animal: number, suffix: number]

const suffixes = 1_000_000

const pick = (from: ReadonlyArray<string>, number: number): string => from[number % from.length] ?? ""

/** An adjective and an animal. There are some ten thousand of them; with a number there are enough for any forum. */
export const generatedHandle = ([adjective, animal, suffix]: Numbers, withNumber: boolean): string => {
  const pair = `${pick(words.adjectives, adjective)}-${pick(words.animals, animal)}`
  return withNumber ? `${pair}-${suffix % suffixes}` : pair
}

/** Every handle that can be generated without a number is made of these. */
export const handleWords: Readonly<Record<"adjectives" | "animals", ReadonlyArray<string>>> = words
