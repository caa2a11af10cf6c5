/** Who lives in the demonstration: a repair café. The first one is its administrator, the second moderates. */

export interface Person {
  readonly handle: string
  readonly name: string
  readonly bio: string
}

const person = (name: string, bio: string, handle = name.split(" ", 1)[0]?.toLowerCase() ?? ""): Person => ({
  handle,
  name,
  bio
})

export const administrator = person(
  "Mira Lindqvist",
  "I opened this place in 2019 with two tables and a kettle."
)
export const moderator = person(
  "Tomás Ferreira",
  "Electronics on Tuesdays, tidying up on all other days.",
  "tomas"
)

export const members: ReadonlyArray<Person> = [
  person("Ada Okafor", "Sewing machines, mostly from before 1980."),
  person("Bengt Solheim", "Bicycles. If it has spokes, bring it."),
  person("Chiara Conti", "I solder things that others throw away."),
  person("Daniel Novak", "Retired electrician. Please unplug it first."),
  person("Emeka Eze", "Coffee machines and everything with a boiler."),
  person("Farah Haddad", "Learning to repair my own radio."),
  person("Goran Petrov", "Woodwork: chairs, drawers, hinges."),
  person("Hanna Weiss", "3D printed spare parts for old toys."),
  person("Ines Moreau", "Bookbinding and paper."),
  person("Jonas Berg", "Phones and tablets, screens and batteries."),
  person("Keiko Tanaka", "Clocks. Slowly."),
  person("Liam Walsh", "Amplifiers and record players."),
  person("Maya Rao", "Clothes, zips and bags."),
  person("Nils Dahl", "Outboard engines and lawn mowers."),
  person("Olga Smirnova", "Vacuum cleaners have no secrets from me."),
  person("Pablo Ruiz", "Lamps, switches, cables."),
  person("Quinn Taylor", "I take photographs of what we repair."),
  person("Rosa Almeida", "Ceramics and glue."),
  person("Sami Laine", "Laptops. Yes, you have a backup, right?"),
  person("Tess Janssen", "Kitchen appliances and their manuals."),
  person("Uma Patel", "Measuring is better than guessing."),
  person("Viktor Horvat", "Locks, keys and doors."),
  person("Wen Li", "Headphones and other small things."),
  person("Ximena Soto", "Musical instruments with strings."),
  person("Yusuf Demir", "Prams, trolleys and wheels of all kinds."),
  person("Zofia Kowalska", "I keep the list of spare parts."),
  person("Arne Holm", "New here, with two left hands."),
  person("Bea Murphy", "I bring cake and take notes.")
]

export const everybody: ReadonlyArray<Person> = [administrator, moderator, ...members]
