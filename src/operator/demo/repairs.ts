/** What the people of the demonstration ask about broken things. */
import { at, type Topic } from "./Topic.ts"

interface Kind {
  readonly tag: string
  readonly things: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  readonly advice: ReadonlyArray<string>
}

const kinds: ReadonlyArray<Kind> = [
  {
    tag: "electrical",
    things: [
      "food mixer",
      "table lamp",
      "hair dryer",
      "vacuum cleaner",
      "sewing machine",
      "drill",
      "slide projector",
      "fan heater",
      "toaster"
    ],
    faults: [
      "does nothing at all",
      "hums but does not turn",
      "trips the circuit breaker",
      "stops after ten minutes",
      "works only if I hold the cable",
      "smells of burnt dust"
    ],
    advice: [
      "Unplug it, then measure from the plug to the switch. In half of all cases it is the cable, where it enters the case.",
      "Look at the carbon brushes. If they are shorter than 5 mm, they are your fault.",
      "That is often the thermal fuse. It costs less than the bus ticket to the shop; never bridge it.",
      "Please photograph the inside before you take anything out. You will thank yourself later."
    ]
  },
  {
    tag: "water",
    things: ["espresso machine", "kettle", "washing machine", "dishwasher", "steam iron", "aquarium pump"],
    faults: [
      "leaks from below",
      "does not heat any more",
      "takes water but does not pump",
      "shows an error and stops",
      "makes a noise like gravel"
    ],
    advice: [
      "Descale it first, twice, and write down what changed. Then we know whether it is worth opening.",
      "The seal is a standard O-ring. Measure the inner diameter and the thickness; Zofia has a box of them.",
      "Check the filter of the pump. You would not believe how many coins we find there.",
      "An error code is in the manual of the service, not in that of the user. We have a copy on paper."
    ]
  },
  {
    tag: "mechanical",
    things: [
      "bicycle",
      "wall clock",
      "pram",
      "accordion",
      "suitcase",
      "typewriter",
      "office chair",
      "music box",
      "umbrella"
    ],
    faults: [
      "squeaks at every turn",
      "is stuck since the winter",
      "lost a screw that nobody sells",
      "slips under load",
      "wobbles, and it gets worse"
    ],
    advice: [
      "Clean it before you oil it. Oil on dirt is grinding paste.",
      "Measure the thread: the diameter over the crests, then count the turns on 10 mm. I bet it is M4 x 0.7.",
      "Heat, then patience, then a little more heat. Force is how we lose the second screw.",
      "That part wears by design. Hanna can print one if you bring both halves."
    ]
  },
  {
    tag: "audio",
    things: [
      "record player",
      "cassette deck",
      "kitchen radio",
      "guitar amplifier",
      "tape recorder",
      "car radio",
      "baby monitor"
    ],
    faults: [
      "plays one channel only",
      "runs too slowly",
      "crackles when I touch the volume",
      "hums loudly",
      "is silent"
    ],
    advice: [
      "Contact cleaner on the potentiometer, turn it twenty times, wait ten minutes.",
      "Belts turn to tar after thirty years. Order by the circumference, minus five per cent.",
      "Swap the channels at the amplifier. If the fault moves with them, it is before the amplifier.",
      "Careful: the large capacitors hold their charge after you unplug it."
    ]
  }
]

const openings = [
  "It worked until last week. I have not opened it yet.",
  "I found it at a flea market and would like to keep it.",
  "It belonged to my grandmother, so a new one is not the answer.",
  "I have opened it, looked at it for an hour, and closed it again.",
  "The shop says it is not worth repairing. I would like to hear that from you."
]

const courses = [
  "Thank you! I will measure that on Saturday and report.",
  "I did as you said. It is a little better, but not right yet.",
  "It works again. I cannot believe it was something that small.",
  "Nice. Would you write down the steps in the library? The next one will ask the same.",
  "Same fault here, same cure. Ours is from 1987."
]

export const repairs: ReadonlyArray<Topic> = kinds.flatMap(({ advice, faults, tag, things }, kind) =>
  things.flatMap((thing, which) =>
    faults.map((fault, how) => {
      const first = which + how + kind
      return {
        category: "Repairs",
        title: `${thing.charAt(0).toUpperCase()}${thing.slice(1)} ${fault}`,
        body: `<p>My ${thing} ${fault}. ${at(openings, first)}</p><p>Can somebody have a look, or tell me where to begin?</p>`,
        tags: [tag, thing],
        replies: [
          `<p>${at(advice, first)}</p>`,
          `<p>${at(courses, 0)}</p>`,
          `<p>${at(advice, first + 1)}</p>`,
          `<p>${at(courses, 1 + (first % 2))}</p>`,
          `<p>${at(advice, first + 2)}</p>`,
          `<p>${at(courses, 2)}</p>`,
          `<p>${at(courses, 3)}</p>`,
          `<p>${at(courses, 4)}</p>`
        ]
      }
    })
  )
)
