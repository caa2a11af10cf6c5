/** Who may be told of a change, by what was recorded with it and by what is now. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Audience,
  type CurrentStandings,
  mayKnow,
  type VersionTarget
} from "../../../src/domain/change/Audience.ts"
import type { AccountActor, Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, CalendarEventId, NodeId, NodeVersionId, PostId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import type { Visibility } from "../../../src/domain/shared/Visibility.ts"
import { nothing } from "./standings.ts"

const idOf = (n: number) => `${n}`.padStart(19, "0").concat("0")
const [author, other, host, attendee] = [1, 2, 3, 4].map((n) => AccountId.make(idOf(n)))
if (author === undefined || other === undefined || host === undefined || attendee === undefined) throw "ids"

const readers: ReadonlyArray<Permission> = ["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"]

const account = (accountId: AccountId, ...permissions: ReadonlyArray<Permission>): AccountActor => ({
  _tag: "Account",
  accountId,
  permissions: new Set([...readers, ...permissions]),
  suspended: false,
  credential: "cookie"
})

const people = {
  guest: { _tag: "Guest", permissions: new Set(readers) },
  "the author": account(author),
  "somebody else": account(other),
  "a moderator": account(other, "MANAGE_POSTS"),
  "a librarian": account(other, "MANAGE_LIBRARY"),
  "an administrator": account(other, "ADMINISTRATOR"),
  "a host": account(host),
  "an attendee": account(attendee)
} satisfies Readonly<Record<string, Actor>>

type Who = keyof typeof people

const knowing = (audience: Audience, now: CurrentStandings = nothing): ReadonlyArray<string> =>
  Object.entries(people).flatMap(([who, actor]) => (mayKnow(audience, now, actor) ? [who] : []))

const everyone = Object.keys(people)
const threadId = PostId.make(idOf(10))
const replyId = PostId.make(idOf(11))

const thread = (visibility: Visibility, was?: Visibility): Audience => ({
  _tag: "Post",
  id: threadId,
  threadId,
  standing: { thread: { author_id: author, visibility, ...(was === undefined ? {} : { was }) } }
})

const threadNow = (visibility: Visibility): CurrentStandings => {
  const state = { id: threadId, authorId: author, visibility }
  return { ...nothing, posts: new Map([[threadId, { ...state, thread: state }]]) }
}

const staffOfThreads: ReadonlyArray<Who> = ["the author", "a moderator", "an administrator"]

describe("a change of a thread", () => {
  it.each<readonly [string, Audience, CurrentStandings, ReadonlyArray<string>]>([
    ["that was published and is gone", thread("published"), nothing, everyone],
    ["that was published and still is", thread("published"), threadNow("published"), everyone],
    ["that was published and is a draft now", thread("published"), threadNow("draft"), staffOfThreads],
    ["that was a draft and is published now", thread("draft"), threadNow("published"), staffOfThreads],
    ["that was a draft and is gone", thread("draft"), nothing, staffOfThreads],
    ["that was withdrawn", thread("draft", "published"), threadNow("draft"), everyone],
    ["that became published", thread("published", "draft"), threadNow("published"), everyone],
    [
      "that became published and was withdrawn",
      thread("published", "draft"),
      threadNow("review"),
      staffOfThreads
    ]
  ])("%s is told to those who may know", (_, audience, now, expected) => {
    assert.sameMembers([...knowing(audience, now)], [...expected])
  })

  it("is told to nobody who reads no threads, and to nobody who is suspended", () => {
    for (const actor of [
      { ...people.guest, permissions: new Set<Permission>() },
      { ...people["the author"], permissions: new Set<Permission>() },
      { ...people["the author"], suspended: true }
    ]) {
      for (const audience of [thread("published"), thread("draft", "published")]) {
        assert.isFalse(mayKnow(audience, nothing, actor))
      }
    }
  })
})

const reply = (visibility: Visibility, inThread: Visibility, was?: Visibility): Audience => ({
  _tag: "Post",
  id: replyId,
  threadId,
  standing: {
    thread: { author_id: other, visibility: inThread },
    reply: { author_id: author, visibility, ...(was === undefined ? {} : { was }) }
  }
})

describe("a change of a reply", () => {
  it.each<readonly [string, Audience, ReadonlyArray<string>]>([
    ["that everybody reads", reply("published", "published"), everyone],
    ["that is held", reply("review", "published"), ["the author", "a moderator", "an administrator"]],
    ["that is a draft", reply("draft", "published"), ["a moderator", "an administrator"]],
    [
      "in a thread that is not published",
      reply("published", "draft"),
      ["somebody else", "a moderator", "a librarian", "an administrator"]
    ],
    ["that was withdrawn", reply("draft", "published", "published"), everyone]
  ])("%s is told to those who may know", (_, audience, expected) => {
    assert.sameMembers([...knowing(audience)], [...expected])
  })
})

const nodeId = NodeId.make(idOf(20))

const node = (visibility: Visibility, was?: Visibility): Audience => ({
  _tag: "Node",
  id: nodeId,
  standing: { author_id: author, visibility, ...(was === undefined ? {} : { was }) }
})

describe("a change of a page", () => {
  it.each<readonly [string, Audience, ReadonlyArray<string>]>([
    ["that is published", node("published"), everyone],
    ["that waits for review", node("review"), ["the author", "a librarian", "an administrator"]],
    ["that is a draft", node("draft"), ["the author"]],
    ["that was withdrawn", node("unlisted", "published"), everyone],
    ["that was sent back", node("draft", "review"), ["the author", "a librarian", "an administrator"]]
  ])("%s is told to those who may know", (_, audience, expected) => {
    assert.sameMembers([...knowing(audience)], [...expected])
  })

  it("is not told to those who may not read it any more", () => {
    const now = { ...nothing, nodes: new Map([[nodeId, { ownerId: author, visibility: "draft" } as const]]) }
    assert.deepStrictEqual(knowing(node("published"), now), ["the author"])
  })
})

const versionId = NodeVersionId.make(idOf(21))

const version = (visibility: Visibility, isApplied: boolean): Audience => ({
  _tag: "Version",
  id: versionId,
  authorId: author,
  node: { author_id: host, visibility },
  isApplied
})

const versionNow = (status: VersionTarget["status"], visibility: Visibility): CurrentStandings => ({
  ...nothing,
  versions: new Map([[versionId, { authorId: author, status, node: { ownerId: host, visibility } }]])
})

describe("a change of a draft", () => {
  const reviewers: ReadonlyArray<Who> = ["the author", "a librarian", "an administrator"]
  it.each<readonly [string, Audience, CurrentStandings, ReadonlyArray<string>]>([
    ["of a page that is published", version("published", false), nothing, reviewers],
    ["of a page that was taken back", version("draft", false), nothing, ["the author", "a host"]],
    ["that is applied", version("published", true), versionNow("applied", "published"), everyone],
    ["that was applied since", version("published", false), versionNow("applied", "published"), reviewers],
    [
      "whose page was taken back since",
      version("published", false),
      versionNow("draft", "draft"),
      ["the author"]
    ]
  ])("%s is told to those who may know", (_, audience, now, expected) => {
    assert.sameMembers([...knowing(audience, now)], [...expected])
  })
})

const eventId = CalendarEventId.make(idOf(30))

const event = (visibility: Visibility, was?: Visibility): Audience => ({
  _tag: "CalendarEvent",
  id: eventId,
  standing: {
    visibility,
    hosts: [host],
    attendees: [attendee],
    ...(was === undefined ? {} : { was })
  }
})

describe("a change of an event of the calendar", () => {
  it.each<readonly [string, Audience, ReadonlyArray<string>]>([
    ["that is published", event("published"), everyone],
    ["that is unlisted", event("unlisted"), ["a host", "an attendee", "an administrator"]],
    ["that is a draft", event("draft"), ["a host", "an administrator"]],
    ["that was withdrawn", event("draft", "published"), everyone],
    ["that was unlisted before", event("draft", "unlisted"), ["a host", "an attendee", "an administrator"]]
  ])("%s is told to those who may know", (_, audience, expected) => {
    assert.sameMembers([...knowing(audience)], [...expected])
  })

  it("is not told to those who take part no more", () => {
    const target = {
      visibility: "unlisted",
      hosts: new Set([host]),
      attendees: new Set<AccountId>()
    } as const
    const now = { ...nothing, calendarEvents: new Map([[eventId, target]]) }
    assert.sameMembers([...knowing(event("unlisted"), now)], ["a host", "an administrator"])
  })
})

describe("what is about accounts", () => {
  const ofAccount = (itself: "always" | "as administrator", permission?: Permission): Audience => ({
    _tag: "Account",
    id: author,
    permission,
    itself
  })
  const administers = { ...nothing, administrators: new Set([author]) }

  it.each<readonly [string, Audience, CurrentStandings, ReadonlyArray<Permission>, boolean]>([
    ["an account", ofAccount("always"), nothing, ["VIEW_ACCOUNTS"], true],
    ["an account, without the permission", ofAccount("always"), nothing, ["MANAGE_ACCOUNTS"], false],
    ["an administrator's account", ofAccount("always"), administers, ["VIEW_ACCOUNTS"], false],
    ["an administrator's account, to another", ofAccount("always"), administers, ["ADMINISTRATOR"], true],
    [
      "a warning",
      ofAccount("always", "MANAGE_WARNINGS"),
      nothing,
      ["MANAGE_WARNINGS", "VIEW_ACCOUNTS"],
      true
    ],
    [
      "a warning of who is hidden",
      ofAccount("always", "MANAGE_WARNINGS"),
      nothing,
      ["MANAGE_WARNINGS"],
      false
    ],
    [
      "a warning without that right",
      ofAccount("always", "MANAGE_WARNINGS"),
      nothing,
      ["VIEW_ACCOUNTS"],
      false
    ]
  ])("%s is told as its permissions say", (_, audience, now, permissions, expected) => {
    assert.strictEqual(mayKnow(audience, now, account(other, ...permissions)), expected)
    assert.isTrue(mayKnow(audience, now, people["the author"]))
    const guest: Actor = { _tag: "Guest", permissions: new Set(permissions) }
    assert.isFalse(mayKnow(audience, now, guest))
  })

  it("is kept from the account itself where it is a note, unless it is an administrator", () => {
    const note = ofAccount("as administrator", "VIEW_MODERATION_NOTES")
    assert.isFalse(mayKnow(note, nothing, account(author, "VIEW_MODERATION_NOTES", "VIEW_ACCOUNTS")))
    assert.isTrue(mayKnow(note, administers, account(author, "ADMINISTRATOR")))
    assert.isTrue(mayKnow(note, nothing, account(other, "VIEW_MODERATION_NOTES", "VIEW_ACCOUNTS")))
  })

  it("is told to holders of a permission, and to whom else it is about", () => {
    const report: Audience = { _tag: "Holders", permission: "MANAGE_REPORTS", account: author }
    assert.sameMembers([...knowing(report)], ["the author", "an administrator"])
    assert.isTrue(mayKnow(report, nothing, account(other, "MANAGE_REPORTS")))
    const ofService: Audience = { _tag: "Holders", permission: "MANAGE_REPORTS", account: undefined }
    assert.deepStrictEqual(knowing(ofService), ["an administrator"])
  })
})

describe("what is nobody's", () => {
  it("is told to all, or to nobody", () => {
    assert.sameMembers([...knowing({ _tag: "Everyone" })], everyone)
    assert.deepStrictEqual(knowing({ _tag: "Nobody" }), [])
  })
})
