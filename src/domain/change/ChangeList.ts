/** What callers are told of changes, and what they ask with. */
import { Option, Schema } from "effect"
import { withExample } from "../field/Example.ts"
import { Timestamp } from "../field/Resource.ts"
import * as Text from "../field/Text.ts"
import { Problem } from "../shared/Problem.ts"
import { changeEntry, cursor } from "./ChangeExamples.ts"
import { ChangeId, positionOf } from "./ChangePosition.ts"
import { Change, ChangeName, changeNames } from "./Changes.ts"

/** Characters of the longest cursor that there may ever be. */
export const cursorMax = 100

export const ChangeCursor = Schema.String.check(Schema.isMaxLength(cursorMax)).annotate({
  description: "Where it stands among all changes: what comes after it is read by `after`"
})

export const ChangeEntry = Schema.Struct({
  id: ChangeId.annotateKey({ description: "The same for everybody who is told of it, at any time" }),
  cursor: ChangeCursor,
  at: Timestamp.annotateKey({ description: "When it happened" }),
  event: Change.annotateKey({ description: "What happened" })
})
  .annotate({
    identifier: "ChangeEntry",
    description: "Something that happened and that the caller may know of"
  })
  .pipe(withExample(changeEntry))
export interface ChangeEntry extends Schema.Schema.Type<typeof ChangeEntry> {}

export const ChangeListResult = Schema.Struct({
  changes: Schema.Array(ChangeEntry).annotateKey({ description: "Oldest first" }),
  next: ChangeCursor.annotateKey({
    description: "From where to go on, also if there was nothing that the caller may know of"
  }),
  more: Schema.Boolean.annotateKey({ description: "Whether there may be more to read at once" })
})
  .annotate({ identifier: "ChangeListResult", description: "Changes, and from where to go on" })
  .pipe(withExample({ changes: [changeEntry], next: cursor, more: false }))
export interface ChangeListResult extends Schema.Schema.Type<typeof ChangeListResult> {}

export class CursorExpired extends Problem<CursorExpired>()("CursorExpired", {
  status: 410,
  title: "Changes since then are no longer kept",
  explanation:
    "Some of the changes after this cursor are no longer kept; they are kept for 90 days at least. What depends on all of them has to be read anew; then go on from `oldest`, or from where the changes are now (`after=latest`).",
  metadata: {
    oldest: Schema.String.annotate({ description: "The cursor before the oldest change that is kept" })
  }
}) {}

export class TooManyStreams extends Problem<TooManyStreams>()("TooManyStreams", {
  status: 503,
  title: "There are as many streams of changes as there may be",
  explanation:
    "This account, this network or this instance has as many streams of changes, and requests that wait for changes, as it may have at the same time. End some of them, or try again after the seconds in `Retry-After`, at another instance if there are several.",
  metadata: {
    retry_after: Schema.Int,
    of: Schema.Literals(["account", "network", "instance"]).annotate({ description: "Who has too many" }),
    maximum: Schema.Int.annotate({ description: "How many that are" })
  }
}) {}

const numberBetween = (least: number, most: number, description: string) =>
  Text.verbatim({ max: 10, pattern: "^[0-9]+$", description }).check(
    Schema.makeFilter((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      expected: `a whole number from ${least} to ${most}`,
      toJsonSchema: () => [{}, true]
    })
  )

export const limits = { most: 500, usual: 100, waitSeconds: 30 } as const

export const LimitQuery = numberBetween(
  1,
  limits.most,
  `How many changes to answer at most, from 1 to ${limits.most}; ${limits.usual} if it is absent`
)

export const WaitQuery = numberBetween(
  0,
  limits.waitSeconds,
  `If there is nothing, how many seconds to wait for something, from 0 to ${limits.waitSeconds}; 0 if it is absent`
)

const isCursor = (text: string): boolean => Option.isSome(positionOf(text))

/** Stands for where the changes are now. */
export const latest = "latest"

const cursorText = (description: string, isValid: (text: string) => boolean, expected: string) =>
  Text.verbatim({ max: cursorMax, pattern: "^[A-Za-z0-9_-]+$", description }).check(
    Schema.makeFilter(isValid, { expected, toJsonSchema: () => [{}, true] })
  )

export const AfterQuery = cursorText(
  "The cursor of a change, or `next` of an answer: what comes after it is told. Without it, all that is kept. `latest` tells nothing, and where the changes are now.",
  (text) => text === latest || isCursor(text),
  "a cursor, or latest"
)

export const StreamAfterQuery = cursorText(
  "The cursor of a change, or `next` of an answer: what comes after it is told. Without it, or with `latest`, what happens from now on.",
  (text) => text === latest || isCursor(text),
  "a cursor, or latest"
)

export const LastEventId = cursorText(
  "The cursor of the last change that was told, as browsers send it when they connect again. It goes before `after`.",
  isCursor,
  "a cursor"
).annotate({ title: "Last-Event-ID" })

const isName = Schema.is(ChangeName)

const namesIn = (text: string): ReadonlyArray<string> => text.split(",").map((name) => name.trim())

/** Characters of all names, with room between them. */
const eventsMax = 4096

export const EventsQuery = Text.verbatim({
  max: eventsMax,
  pattern: "^ *Event[A-Za-z]+( *, *Event[A-Za-z]+)* *$",
  description: "The names of the changes to be told of, separated by commas; all if it is absent",
  examples: ["EventThreadPublished,EventThreadReplyCreated"]
}).check(
  Schema.makeFilter((text) => namesIn(text).every(isName), {
    expected: "names of changes, separated by commas",
    toJsonSchema: () => [{}, true]
  })
)

/** The names that a parameter has; all if it is absent. */
export const namesOf = (events: string | undefined): ReadonlyArray<ChangeName> =>
  events === undefined ? changeNames : [...new Set(namesIn(events).filter(isName))]
