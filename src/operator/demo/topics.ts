/** What the people of the demonstration write about. */
import { repairs } from "./repairs.ts"
import { at, type Topic } from "./Topic.ts"

export const categories = [
  { name: "Announcements", description: "News of the café: opening hours, dates, thanks", colour: "#b5543c" },
  { name: "Repairs", description: "It is broken. What now?", colour: "#3c7a5b" },
  { name: "Tools and parts", description: "What to use, where to find it, what to keep", colour: "#3c5f9a" },
  { name: "Show and tell", description: "Before and after", colour: "#8a5fa8" },
  { name: "Around the table", description: "Introductions, cake, everything else", colour: "#b08a2e" }
] as const

const topic = (
  category: string,
  title: string,
  body: string,
  tags: ReadonlyArray<string>,
  replies: ReadonlyArray<string>
): Topic => ({
  category,
  title,
  body: `<p>${body}</p>`,
  tags,
  replies: replies.map((text) => `<p>${text}</p>`)
})

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October"
]

const figures: ReadonlyArray<Topic> = months.map((month, index) =>
  topic(
    "Announcements",
    `What we repaired in ${month}`,
    `In ${month} ${31 + index * 3} things came in; <strong>${22 + index * 2}</strong> went home working, five wait for parts, and the rest will give their screws to others. Thank you all!`,
    ["figures"],
    [
      "More than the month before!",
      "I have the photographs, they are in the library.",
      "Cake for everybody who stayed late."
    ]
  )
)

const tools: ReadonlyArray<Topic> = [
  ["soldering iron", "60 W with a fine tip does nearly everything."],
  ["multimeter", "One with continuity and a backlight; more digits help nobody."],
  ["set of screwdrivers", "The security bits are worth more than all the rest."],
  ["bench vice", "With soft jaws, or you repair one thing and scratch another."],
  ["magnifying lamp", "LED, or the room gets hot in summer."],
  ["glue", "Epoxy for metal, contact glue for soles, never instant glue for toys."]
].flatMap(([tool = "", answer = ""]) => [
  topic(
    "Tools and parts",
    `Which ${tool} would you buy today?`,
    `Our ${tool} is at its end. What do you use, and what would you not buy again?`,
    ["tools", tool],
    [
      answer,
      "The same here, for six years now.",
      "Buy it used. They last.",
      "We could put that into the table of tools."
    ]
  ),
  topic(
    "Tools and parts",
    `Who has borrowed the ${tool}?`,
    `The ${tool} is not in its place. No hard feelings, but please write it on the list next time.`,
    ["tools"],
    ["It is on the bench by the window.", "Sorry, that was me. It is back."]
  )
])

const evenings: ReadonlyArray<Topic> = [
  "a chair that four people had given up on",
  "my first working radio",
  "the clock of the town library",
  "a suitcase with a new handle",
  "a teapot in eleven pieces",
  "a coat with a new zip",
  "the accordion, it plays again",
  "a toaster from 1961",
  "a printed gear for a train set",
  "the pram of three generations"
].map((what, index) =>
  topic(
    "Show and tell",
    `Before and after: ${what}`,
    `It took ${2 + (index % 4)} evenings. What I learned: go slowly, label everything, ask early.`,
    ["before-after"],
    [
      "Beautiful.",
      "How did you hold it while the glue dried?",
      "With rubber bands and a book, like always.",
      "Please bring it on Saturday!"
    ]
  )
)

const talk: ReadonlyArray<Topic> = [
  topic(
    "Announcements",
    "Welcome to the repair café",
    "We meet on Tuesdays and Saturdays. Bring what is broken, and a little time. <em>Nobody repairs for you, everybody repairs with you.</em>",
    ["welcome"],
    [
      "Happy to be here!",
      "Is there parking for a cargo bicycle?",
      "Yes, in the yard.",
      "See you on Saturday."
    ]
  ),
  topic(
    "Announcements",
    "Closed on the first Saturday of the holidays",
    "The heating is being repaired, of all things. Tuesday is as usual.",
    ["dates"],
    ["Do they need help?", "They asked us not to."]
  ),
  topic(
    "Around the table",
    "Introduce yourself",
    "Who are you, and what did you repair last? I begin: Bea, and it was the lid of the cake tin.",
    ["welcome"],
    [
      "Arne. Nothing yet. That is why I am here.",
      "Keiko. A clock, since March.",
      "Uma. The multimeter, with the other multimeter.",
      "Liam. An amplifier that I had broken myself."
    ]
  ),
  topic(
    "Around the table",
    "Which repair are you proud of?",
    "It need not be large.",
    ["stories"],
    [
      "A zip, while the train was moving.",
      "My neighbour's hearing aid.",
      "The first one. All others were easier."
    ]
  ),
  topic(
    "Around the table",
    "Right to repair: what changed for us this year?",
    "Spare parts have to be sold for longer now. Has anybody ordered some?",
    ["law"],
    [
      "Pumps arrive in a week. Boards do not.",
      "Manuals are easier to get if you name the regulation.",
      "We should collect the addresses in the library."
    ]
  ),
  topic(
    "Around the table",
    "Recipes of what Bea brings",
    "You asked for the lemon one.",
    ["cake"],
    ["Finally!", "How many eggs?", "Four, and patience."]
  )
]

const wanted = 200
// Shares no factor with the number of repairs, so that each is met once, and none next to one of the same thing.
const stride = 37

/** Two hundred discussions, the repairs mixed with what else is said. */
export const topics: ReadonlyArray<Topic> = (() => {
  const others = [...talk, ...figures, ...tools, ...evenings]
  const mixed = repairs.map((_, index) => at(repairs, index * stride)).slice(0, wanted - others.length)
  const every = Math.ceil(mixed.length / others.length)
  return others.flatMap((other, index) => [other, ...mixed.slice(index * every, (index + 1) * every)])
})()
