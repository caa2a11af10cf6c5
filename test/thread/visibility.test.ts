import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ok, titlesOf } from "../support/answers.ts"
import { open } from "../support/discussion.ts"
import * as People from "../support/people.ts"
import { Cast, guest, query } from "../support/people.ts"

const visibilities = ["draft", "unlisted", "review", "published"]

/** Each author opens one thread of each visibility, titled with both. */
const populate = Effect.gen(function* () {
  const { freya, loki } = yield* Cast
  for (const [author, name] of [
    [freya, "freya"],
    [loki, "loki"]
  ] as const) {
    for (const visibility of visibilities) yield* open(author, `${name} ${visibility}`, { visibility })
  }
})

const of = (name: string, ...seen: ReadonlyArray<string>) => seen.map((visibility) => `${name} ${visibility}`)
const published = [...of("freya", "published"), ...of("loki", "published")]

type Params = Readonly<Record<string, string | ReadonlyArray<string>>>
type Row = readonly [
  params: Params,
  guest: ReadonlyArray<string>,
  freya: ReadonlyArray<string>,
  moderator: ReadonlyArray<string>
]

const bothOf = (...seen: ReadonlyArray<string>) => [...of("freya", ...seen), ...of("loki", ...seen)]

// What each caller sees, as a list of titles.
const table: ReadonlyArray<Row> = [
  [{}, published, [...published, ...of("freya", "review")], bothOf("published", "review")],
  [{ visibility: "published" }, published, published, published],
  ...["draft", "unlisted", "review"].map(
    (visibility): Row => [{ visibility }, published, published, bothOf(visibility)]
  ),
  [{ visibility: ["published", "review"] }, published, published, bothOf("published", "review")],
  [{ visibility: ["draft", "unlisted"] }, published, published, bothOf("draft", "unlisted")],
  [{ visibility: visibilities }, published, published, bothOf(...visibilities)],

  [
    { author: "freya" },
    of("freya", "published"),
    of("freya", "published", "review"),
    of("freya", "published", "review")
  ],
  [{ author: "loki" }, of("loki", "published"), of("loki", "published"), of("loki", "published", "review")],
  ...visibilities.map(
    (visibility): Row => [
      { author: "freya", visibility },
      of("freya", "published"),
      of("freya", visibility),
      of("freya", visibility)
    ]
  ),
  ...visibilities.map(
    (visibility): Row => [
      { author: "loki", visibility },
      of("loki", "published"),
      of("loki", "published"),
      of("loki", visibility)
    ]
  ),
  [
    { author: "freya", visibility: ["draft", "review"] },
    of("freya", "published"),
    of("freya", "draft", "review"),
    of("freya", "draft", "review")
  ],
  [
    { author: "loki", visibility: visibilities },
    of("loki", "published"),
    of("loki", "published"),
    of("loki", ...visibilities)
  ]
]

layer(People.layer)("which threads a list shows", (it) => {
  it.effect("depend on the caller and the filters, as the table says", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* populate
      for (const [params, asGuest, asFreya, asModerator] of table) {
        for (const [person, expected] of [
          [guest, asGuest],
          [freya, asFreya],
          [tyr, asModerator],
          [odin, asModerator]
        ] as const) {
          const list = ok(yield* person.get(`/threads${query(params)}`))
          const cell = `${person.id} ${JSON.stringify(params)}`
          assert.deepStrictEqual([...titlesOf(list)].sort(), [...expected].sort(), cell)
          assert.strictEqual(list.results, expected.length, cell)
          assert.strictEqual(list.total_pages, 1, cell)
        }
      }
    })
  )

  it.effect("are the same for a moderator's own threads", () =>
    Effect.gen(function* () {
      const { tyr } = yield* Cast
      for (const visibility of visibilities) yield* open(tyr, `tyr ${visibility}`, { visibility })
      for (const [params, expected] of [
        [{ author: "tyr" }, of("tyr", "published", "review")],
        [{ author: "tyr", visibility: "draft" }, of("tyr", "draft")],
        [{ author: tyr.id, visibility: ["unlisted", "review"] }, of("tyr", "review", "unlisted")]
      ] as const) {
        assert.deepStrictEqual(
          [...titlesOf(ok(yield* tyr.get(`/threads${query(params)}`)))].sort(),
          [...expected].sort()
        )
      }
    })
  )
})
