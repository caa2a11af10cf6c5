/** What the people of the demonstration know: the pages of their library. */

export interface Page {
  readonly name: string
  readonly content: string
  readonly tags: ReadonlyArray<string>
  readonly children: ReadonlyArray<Page>
}

const page = (
  name: string,
  content: string,
  tags: ReadonlyArray<string>,
  children: ReadonlyArray<Page> = []
): Page => ({
  name,
  content,
  tags,
  children
})

export const handbook = page(
  "Handbook",
  "<h1>Handbook</h1><p>How the café works. Everybody may propose a change: it becomes a draft, and somebody applies it.</p>",
  ["handbook"],
  [
    page(
      "House rules",
      "<h1>House rules</h1><ul><li>You stay with your thing.</li><li>Nothing is opened while it is plugged in.</li><li>What cannot be repaired goes home with you.</li></ul>",
      ["handbook"]
    ),
    page(
      "Your first repair",
      "<h1>Your first repair</h1><ol><li>Say what it should do, and what it does.</li><li>Photograph every step.</li><li>Put the screws on paper, in the order in which you took them out.</li></ol>",
      ["handbook", "welcome"]
    ),
    page(
      "Safety",
      "<h1>Safety</h1><p>Capacitors hold their charge. Boilers hold their pressure. Blades hold no grudge, but they cut.</p><blockquote>If in doubt, ask Daniel.</blockquote>",
      ["handbook", "electrical"]
    )
  ]
)

export const guides = page(
  "Guides",
  "<h1>Guides</h1><p>Written after the repair, for whoever comes next.</p>",
  ["guides"],
  [
    page(
      "Descaling an espresso machine",
      "<h1>Descaling</h1><p>20 g of citric acid in a litre of cold water. Warm acid makes it worse.</p>",
      ["guides", "water"]
    ),
    page(
      "Finding a broken wire",
      "<h1>Finding a broken wire</h1><p>Measure the resistance and bend the cable from the plug on. Where the value jumps, cut.</p><pre><code>0.3 Ω  0.3 Ω  OL  0.3 Ω</code></pre>",
      ["guides", "electrical"]
    ),
    page(
      "Replacing a belt",
      "<h1>Replacing a belt</h1><p>Measure with a thread around the pulleys, and take five per cent off.</p>",
      ["guides", "audio"]
    ),
    page(
      "Mending a zip",
      "<h1>Mending a zip</h1><p>It is nearly always the slider. Close it a little with pliers.</p>",
      ["guides"]
    )
  ]
)

export const tools = page(
  "Tools",
  "<h1>Tools</h1><p>What we have. Sort by a column, or search for a value.</p>",
  ["tools"]
)

/** The rows of the table of tools: name, place, price in euros, day of purchase. */
export const tableOfTools = [
  ["Bench drill", "Workshop", "240", "2019-11-12"],
  ["Soldering station", "Bench 1", "129.9", "2021-02-03"],
  ["Multimeter", "Bench 1", "45", "2020-06-20"],
  ["Isolating transformer", "Bench 2", "180", "2022-09-14"],
  ["Oscilloscope", "Bench 2", "310", "2023-01-30"],
  ["Bicycle stand", "Yard", "89", "2019-11-12"],
  ["Overlocker", "Textiles", "219", "2024-05-04"],
  ["3D printer", "Office", "399", "2024-12-01"],
  ["Bench vice", "Workshop", "65.5", "2018-03-17"],
  ["Ultrasonic bath", "Bench 3", "74", "2025-07-08"]
] as const

/** A change that waits for somebody who applies it. */
export const proposed =
  "<h1>House rules</h1><ul><li>You stay with your thing.</li><li>Nothing is opened while it is plugged in.</li><li>What cannot be repaired goes home with you.</li><li>Cake is shared.</li></ul>"

export const checklist = `Before you open it
[ ] unplugged, and nobody can plug it in
[ ] photographed from all sides
[ ] a tray for the screws
[ ] somebody knows what you are doing
`

export const partsList = `part,size,in stock
O-ring,8 x 2 mm,24
O-ring,12 x 2.5 mm,11
thermal fuse,167 C,9
belt,158 mm,2
carbon brush,6 x 7 mm,16
`
