/** The changes that others are told of: their names and fields, and which events tell of them. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { changeIdOf } from "../../../src/domain/change/ChangeFeed.ts"
import { Change, ChangeName, changeNames } from "../../../src/domain/change/Changes.ts"
import { isTelling, tellingTags, toldOf } from "../../../src/domain/change/ChangesOfEvents.ts"
import { tagsOfChanges } from "../../../src/domain/change/ChangeTags.ts"
import { tagOf } from "../../../src/domain/event/EventConsumer.ts"
import { DomainEvent, declaredEvents } from "../../../src/domain/event/EventLog.ts"
import { Id } from "../../../src/domain/shared/Id.ts"

const reply = ["thread_id", "reply_id"]
const post = ["post_id", "root_post_id"]
const page = ["id", "slug"]
const version = ["node_id", "node_slug", "version_id", "author_id"]
const note = ["account_id", "note_id"]
const warning = ["account_id", "author_id", "warning_id"]
const report = ["id", "target?", "reported_by?"]

/** The fields of each change beside its name; those with a question mark may be absent. */
const expected: Readonly<Record<string, ReadonlyArray<string>>> = {
  EventThreadPublished: ["id"],
  EventThreadUnpublished: ["id"],
  EventThreadUpdated: ["id"],
  EventThreadDeleted: ["id"],
  EventThreadReplyCreated: [
    ...reply,
    "thread_author_id",
    "reply_author_id",
    "reply_to_author_id?",
    "reply_to_target_id?"
  ],
  EventThreadReplyUpdated: reply,
  EventThreadReplyDeleted: reply,
  EventThreadReplyPublished: reply,
  EventThreadReplyUnpublished: reply,
  EventPostLiked: post,
  EventPostUnliked: post,
  EventPostReacted: post,
  EventPostUnreacted: post,
  EventCategoryUpdated: page,
  EventCategoryDeleted: page,
  EventMemberMentioned: ["by", "source", "item"],
  EventNodeCreated: page,
  EventNodeUpdated: page,
  EventNodeDeleted: page,
  EventNodePublished: page,
  EventNodeSubmittedForReview: page,
  EventNodeUnpublished: page,
  EventNodeVersionDraftCreated: version,
  EventNodeVersionDraftUpdated: version,
  EventNodeVersionDraftDeleted: version,
  EventNodeVersionDraftApplied: version,
  EventAccountCreated: ["id"],
  EventAccountUpdated: ["id"],
  EventAccountSuspended: ["id"],
  EventAccountUnsuspended: ["id"],
  EventModerationNoteCreated: note,
  EventModerationNoteDeleted: note,
  EventAccountWarned: warning,
  EventAccountWarningUpdated: [...warning, "previous_reason", "reason"],
  EventAccountWarningDeleted: warning,
  EventReportCreated: report,
  EventReportUpdated: [...report, "handled_by?", "status"],
  EventActivityCreated: ["id"],
  EventActivityUpdated: ["id"],
  EventActivityDeleted: ["id"],
  EventActivityPublished: ["id"],
  EventSettingsUpdated: ["settings"]
}

const sorted = (values: Iterable<string>) => [...values].sort()

const golden = new URL("../../event/golden/", import.meta.url)

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(DomainEvent)))

/** What has been written to the log since the first release. */
const written = readdirSync(golden)
  .flatMap((file) => readFileSync(new URL(file, golden), "utf8").trimEnd().split("\n"))
  .filter((line) => line.startsWith('{"_tag"'))
  .map((line) => decodeEvent(line))

const told = written.flatMap((event) => (isTelling(event) ? [[event, toldOf(event)?.change] as const] : []))

describe("the changes", () => {
  it("are these 42, with these fields and no others", () => {
    assert.strictEqual(changeNames.length, 42)
    assert.deepStrictEqual(sorted(changeNames), sorted(Object.keys(expected)))
    for (const { fields } of Change.members) {
      const { event, ...others } = fields
      const names = Object.entries<Schema.Top>(others).map(([name, field]) =>
        field.ast.context?.isOptional === true ? `${name}?` : name
      )
      assert.deepStrictEqual(names, [...(expected[event.literal] ?? [])], event.literal)
    }
  })

  it("have names that a schema knows, and no others", () => {
    const isName = Schema.is(ChangeName)
    for (const name of changeNames) assert.isTrue(isName(name))
    for (const name of ["", "ThreadPublished", "eventthreadpublished", "EventThreadPublished "]) {
      assert.isFalse(isName(name))
    }
  })
})

describe("the events of the log", () => {
  it("tell of every change", () => {
    assert.deepStrictEqual(
      sorted(new Set(told.flatMap(([, change]) => (change === undefined ? [] : [change.event])))),
      sorted(changeNames)
    )
  })

  it("tell of what is as declared, without a key that is not", () => {
    const encode = Schema.encodeSync(Schema.toCodecJson(Change))
    const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Change), { onExcessProperty: "error" })
    for (const [, change] of told) {
      if (change === undefined) continue
      assert.deepStrictEqual<unknown>(decode(encode(change)), change)
      assert.deepStrictEqual<unknown>(JSON.parse(JSON.stringify(change)), encode(change))
    }
  })

  it("are found by the names of their changes", () => {
    for (const [event, change] of told) {
      if (change !== undefined) assert.deepStrictEqual(tagsOfChanges([change.event]), [event._tag])
    }
    assert.sameMembers([...tagsOfChanges(changeNames)], [...tellingTags])
  })

  it("of older releases tell of nothing if they lack what is told", () => {
    const silent = told.flatMap(([event, change]) => (change === undefined ? [event] : []))
    assert.deepStrictEqual(
      sorted(silent.map(({ _tag }) => _tag)),
      sorted(["AccountWarned", "AccountWarningDeleted", "AccountWarningUpdated", "SettingsUpdated"])
    )
  })

  it("that tell of something are read, and no others", () => {
    const tags = new Set(told.map(([event]) => event._tag))
    assert.deepStrictEqual(sorted(tellingTags), sorted(tags))
    assert.isBelow(tellingTags.length, declaredEvents.map(tagOf).length)
  })
})

describe("the id of a change", () => {
  it("is one that every instance makes of the same event, in the order of time", () => {
    const first = changeIdOf(Date.UTC(2026, 0, 2, 3, 4, 5), 7n)
    assert.strictEqual(changeIdOf(Date.UTC(2026, 0, 2, 3, 4, 5, 999), 7n), first)
    assert.isTrue(Schema.is(Id)(first))
    assert.match(first, /[0g]$/)
    assert.isBelow(first.localeCompare(changeIdOf(Date.UTC(2026, 0, 2, 3, 4, 5), 8n)), 0)
    assert.isBelow(first.localeCompare(changeIdOf(Date.UTC(2026, 0, 2, 3, 4, 6), 1n)), 0)
  })
})
