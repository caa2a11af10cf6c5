import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NodeDraftExists, NodeNotFound, NodeSlugTaken } from "../../src/domain/library/Node.ts"
import {
  NodeVersionApplied,
  NodeVersionNotDraft,
  NodeVersionNotFound,
  TooManyNodeDrafts
} from "../../src/domain/library/NodeVersion.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing,
  TooManyPropertyFields
} from "../../src/domain/library/Property.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { MarkupTooComplex } from "../../src/domain/text/TextProblem.ts"
import { MarkupTooLong, TooManyLinks, TooManyMentions } from "../../src/domain/thread/Post.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { Cast, grant, guest, nobody, type Person, signUp } from "../support/people.ts"
import type { Scenario, Scenarios } from "../support/scenarios.ts"
import { change, draft, field, tryApply, tryDraft, versionsPath, write } from "./versionSupport.ts"

const texts = [
  ["is too complex", "<b title=x>".repeat(600), MarkupTooComplex],
  ["is too long", `<p>${"x".repeat(524_289)}</p>`, MarkupTooLong],
  [
    "has too many links",
    Array.from({ length: 1001 }, (_, n) => `<a href="https://x.test/${n}">x</a>`).join(""),
    TooManyLinks
  ],
  [
    "has too many mentions",
    Array.from({ length: 101 }, (_, n) => `<a href="sdr:profile/${String(n).padStart(20, "0")}">x</a>`).join(
      ""
    ),
    TooManyMentions
  ]
] as const

/** A page with two fields and a draft that has these properties, made of the fields. */
const makeRefusing = (by: Person, author: Person) =>
  Effect.fnUntraced(function* (
    name: string,
    propertiesOf: (fids: readonly [string, string]) => ReadonlyArray<unknown>
  ) {
    const { id: parent } = yield* write(by, `Above ${name}`)
    const node = yield* write(by, name, { parent, properties: [field("a", "1"), field("b", "2")] })
    const [a, b] = node.properties.map(({ fid }: { readonly fid: string }) => fid)
    const version = yield* draft(author, node, { properties: propertiesOf([a, b]) })
    return { node, version, parent }
  })

/** The operations on versions of pages. */
export const versionScenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const sql = yield* SqlClient.SqlClient
  const full = yield* signUp("full")
  yield* grant(freya, "SUBMIT_LIBRARY_NODE_CHANGES")
  yield* grant(full, "SUBMIT_LIBRARY_NODE_CHANGES")
  const { id: parent } = yield* write(odin, "Versions")
  const inside = { parent, content: "<p>text</p>" }
  const page = yield* write(odin, "Versioned", { ...inside, properties: [field("a", "1")] })
  const history = yield* write(odin, "Versioned history", inside)
  yield* change(odin, history, { name: "First" })
  const second = yield* change(odin, history, { name: "Second" })
  const drafted = yield* draft(freya, history)
  const deleting = yield* write(odin, "Versioned for a while", inside)
  const toDelete = yield* draft(freya, deleting)
  const applied = yield* write(odin, "Versioned and applied", inside)
  const toApply = yield* draft(freya, applied, {
    slug: "versioned-and-applied-anew",
    properties: [field("a", "1"), field("c", "2")].map((one, n) => ({
      ...one,
      ...(n === 0 ? { fid: page.properties[0].fid } : {})
    }))
  })
  const plain = yield* write(odin, "Versioned plainly", inside)
  const toApplyPlainly = yield* draft(freya, plain)
  const wanting = yield* write(odin, "Versioned in vain", inside)
  const taken = yield* draft(freya, wanting, { slug: page.slug })
  const refusing = makeRefusing(odin, freya)
  const refused = [
    [
      "unknown fields",
      PropertyFieldUnknown,
      yield* refusing("Unknown", () => [{ fid: nobody, name: "x", value: "" }])
    ],
    [
      "a field without a type",
      PropertyTypeMissing,
      yield* refusing("Untyped", () => [{ name: "x", value: "" }])
    ],
    ["a field without its id", PropertyFieldIdMissing, yield* refusing("Nameless", () => [field("a", "")])],
    [
      "a field twice",
      PropertyFieldTwice,
      yield* refusing("Twice", ([fid]) => [
        { fid, name: "", value: "" },
        { fid, name: "", value: "" }
      ])
    ],
    [
      "two fields of one name",
      PropertyNameTaken,
      yield* refusing("Namesakes", (fids) => fids.map((fid) => ({ fid, name: "x", value: "" })))
    ]
  ] as const
  const wide = yield* refusing("Wide", () => Array.from({ length: 100 }, (_, n) => field(`f${n}`, "")))
  yield* write(odin, "Beside wide", {
    parent: wide.parent,
    properties: [field("a", ""), field("b", ""), field("c", "")]
  })
  yield* draft(full, yield* write(odin, "Versioned by many", inside))
  yield* sql`update node_draft_counts set drafts = 1000 where account_id = ${full.id}`
  const unversioned = yield* write(odin, "Never versioned", inside)
  const missing = { id: "missing", slug: "missing" }
  const nothing = { id: nobody }

  /** Each is refused wherever content is written. */
  const ofTexts = texts.flatMap(([what, content, expects]): ReadonlyArray<Scenario> => {
    const when = `with text that ${what}`
    return [
      { operation: "NodeVersionCreate", when, call: tryDraft(freya, unversioned, { content }), expects },
      {
        operation: "NodeVersionDraftUpdate",
        when,
        call: freya.patch(versionsPath(history, "/draft"), { content }),
        expects
      },
      {
        operation: "NodeVersionUpdate",
        when,
        call: freya.patch(versionsPath(history, `/${drafted.id}`), { content }),
        expects
      }
    ]
  })
  const reads: ReadonlyArray<Scenario> = [
    { operation: "NodeDraftList", call: odin.get("/nodes/drafts"), expects: 200, statements: 7 },
    {
      operation: "NodeDraftList",
      when: "of one's own",
      call: freya.get("/nodes/drafts"),
      expects: 200,
      statements: 6
    },
    {
      operation: "NodeDraftList",
      when: "empty",
      call: odin.get("/nodes/drafts?page=99"),
      expects: 200,
      statements: 2
    },
    {
      operation: "NodeDraftList",
      when: "by a guest",
      call: guest.get("/nodes/drafts"),
      expects: Unauthenticated
    },
    { operation: "NodeVersionList", call: freya.get(versionsPath(history)), expects: 200, statements: 4 },
    {
      operation: "NodeVersionList",
      when: "by a guest",
      call: guest.get(versionsPath(history)),
      expects: 200,
      statements: 4
    },
    {
      operation: "NodeVersionList",
      when: "empty",
      call: odin.get(versionsPath(page)),
      expects: 200,
      statements: 4
    },
    {
      operation: "NodeVersionList",
      when: "of no page",
      call: odin.get(versionsPath(missing)),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionDraftGet",
      call: freya.get(versionsPath(history, "/draft")),
      expects: 200,
      statements: 3
    },
    {
      operation: "NodeVersionDraftGet",
      when: "without one",
      call: freya.get(versionsPath(page, "/draft")),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionDraftGet",
      when: "of no page",
      call: freya.get(versionsPath(missing, "/draft")),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionGet",
      call: guest.get(versionsPath(history, `/${second.id}`)),
      expects: 200,
      statements: 3
    },
    {
      operation: "NodeVersionGet",
      when: "of no version",
      call: odin.get(versionsPath(history, `/${nobody}`)),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionGet",
      when: "of no page",
      call: odin.get(versionsPath(missing, `/${nobody}`)),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionGet",
      when: "of no id",
      call: odin.get(versionsPath(history, "/x")),
      expects: InvalidRequest
    }
  ]
  const writes: ReadonlyArray<Scenario> = [
    {
      operation: "NodeVersionCreate",
      call: tryDraft(freya, page, { content: "<p>new</p>" }),
      expects: 200,
      statements: 6
    },
    {
      operation: "NodeVersionCreate",
      when: "once more",
      call: tryDraft(freya, page),
      expects: NodeDraftExists
    },
    {
      operation: "NodeVersionCreate",
      when: "of no page",
      call: tryDraft(freya, missing),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionCreate",
      when: "as one too many",
      call: tryDraft(full, unversioned),
      expects: TooManyNodeDrafts
    },
    { operation: "NodeVersionCreate", when: "by a guest", call: tryDraft(guest, page), expects: Forbidden },
    {
      operation: "NodeVersionDraftUpdate",
      call: freya.patch(versionsPath(page, "/draft"), { properties: [field("b", "2")] }),
      expects: 200,
      statements: 9
    },
    {
      operation: "NodeVersionDraftUpdate",
      when: "of nothing",
      call: freya.patch(versionsPath(page, "/draft"), {}),
      expects: 200,
      statements: 6
    },
    {
      operation: "NodeVersionDraftUpdate",
      when: "without one",
      call: freya.patch(versionsPath(unversioned, "/draft"), {}),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionDraftUpdate",
      when: "of no page",
      call: freya.patch(versionsPath(missing, "/draft"), {}),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionUpdate",
      call: freya.patch(versionsPath(history, `/${drafted.id}`), { name: "Third" }),
      expects: 200,
      statements: 8
    },
    {
      operation: "NodeVersionUpdate",
      when: "of an applied one",
      call: odin.patch(versionsPath(history, `/${second.id}`), {}),
      expects: NodeVersionApplied
    },
    {
      operation: "NodeVersionUpdate",
      when: "of no version",
      call: odin.patch(versionsPath(history, `/${nobody}`), {}),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionUpdate",
      when: "of no page",
      call: odin.patch(versionsPath(missing, `/${nobody}`), {}),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionDelete",
      call: freya.delete(versionsPath(deleting, `/${toDelete.id}`)),
      expects: 200,
      statements: 7
    },
    {
      operation: "NodeVersionDelete",
      when: "once more",
      call: freya.delete(versionsPath(deleting, `/${toDelete.id}`)),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionDelete",
      when: "of an applied one",
      call: odin.delete(versionsPath(history, `/${second.id}`)),
      expects: NodeVersionApplied
    },
    {
      operation: "NodeVersionDelete",
      when: "of no page",
      call: odin.delete(versionsPath(missing, `/${nobody}`)),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "with a slug that is taken",
      call: tryApply(odin, wanting, taken),
      expects: NodeSlugTaken
    },
    ...refused.map(
      ([what, expects, { node, version }]): Scenario => ({
        operation: "NodeVersionUpdateStatus",
        when: `with ${what}`,
        call: tryApply(odin, node, version),
        expects
      })
    ),
    {
      operation: "NodeVersionUpdateStatus",
      when: "with too many fields",
      call: tryApply(odin, wide.node, wide.version),
      expects: TooManyPropertyFields
    },
    {
      operation: "NodeVersionUpdateStatus",
      call: tryApply(odin, applied, toApply),
      expects: 200,
      statements: 19
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "without properties",
      call: tryApply(odin, plain, toApplyPlainly),
      expects: 200,
      statements: 13
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "once more",
      call: tryApply(odin, plain, toApplyPlainly),
      expects: NodeVersionNotDraft
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "of no version",
      call: tryApply(odin, plain, nothing),
      expects: NodeVersionNotFound
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "of no page",
      call: tryApply(odin, missing, nothing),
      expects: NodeNotFound
    },
    {
      operation: "NodeVersionUpdateStatus",
      when: "by its author",
      call: tryApply(freya, history, drafted),
      expects: Forbidden
    }
  ]
  return [...reads, ...ofTexts, ...writes]
})
