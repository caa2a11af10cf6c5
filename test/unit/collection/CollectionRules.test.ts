import { assert, describe, it } from "@effect/vitest"
import type { ItemState, NodeItemState, PostItemState } from "../../../src/domain/collection/Collectable.ts"
import type { MembershipType } from "../../../src/domain/collection/Collection.ts"
import {
  decideAddition,
  decideRemoval,
  type Membership,
  mayManage,
  mayReadItem,
  mayShow
} from "../../../src/domain/collection/CollectionRules.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, NodeId, PostId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import type { Visibility } from "../../../src/domain/shared/Visibility.ts"

const accountOf = (letter: string) => AccountId.make(letter.repeat(20))
const [owner, author, submitter, other] = [accountOf("a"), accountOf("b"), accountOf("c"), accountOf("d")]

const account = (accountId: AccountId, ...permissions: ReadonlyArray<Permission>): Actor => ({
  _tag: "Account",
  accountId,
  permissions: new Set(["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY", ...permissions]),
  suspended: false,
  credential: "cookie"
})

const guest: Actor = {
  _tag: "Guest",
  permissions: new Set(["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"])
}

const collection = { ownerId: owner }

const membership = (type: MembershipType, addedBy: AccountId | undefined = submitter): Membership => ({
  type,
  addedBy
})

const threadOf = (authorId: AccountId, visibility: Visibility): PostItemState => {
  const thread = { id: PostId.make("1".repeat(20)), authorId, visibility }
  return { kind: "post", state: { ...thread, thread } }
}

const replyOf = (visibility: Visibility, thread = threadOf(other, "published")): PostItemState => ({
  kind: "post",
  state: { id: PostId.make("2".repeat(20)), authorId: author, visibility, thread: thread.state.thread }
})

const nodeOf = (visibility: Visibility): NodeItemState => ({
  kind: "node",
  state: { id: NodeId.make("3".repeat(20)), ownerId: author, visibility }
})

describe("an addition", () => {
  it.each([
    [owner, undefined, "add"],
    [owner, "normal", "nothing"],
    [owner, "submission_review", "accept"],
    [owner, "submission_accepted", "nothing"],
    [other, undefined, "submit"],
    [other, "normal", "nothing"],
    [other, "submission_review", "nothing"],
    [other, "submission_accepted", "nothing"],
    [submitter, "submission_review", "nothing"]
  ] as const)("by %s of what is %s: %s", (by, type, expected) => {
    const known = type === undefined ? undefined : membership(type)
    for (const actor of [account(by), account(by, "MANAGE_COLLECTIONS"), account(by, "ADMINISTRATOR")]) {
      assert.strictEqual(decideAddition(collection, actor, known), expected)
    }
  })
})

describe("a removal", () => {
  const cases: ReadonlyArray<readonly [Actor, MembershipType | undefined, boolean, string]> = [
    [account(owner), "normal", false, "remove"],
    [account(owner), "submission_review", true, "remove"],
    [account(owner), undefined, true, "nothing"],
    [account(owner), undefined, false, "unknown"],
    [account(other, "MANAGE_COLLECTIONS"), "submission_accepted", false, "remove"],
    [account(other, "MANAGE_COLLECTIONS"), undefined, false, "unknown"],
    [account(submitter), "submission_review", true, "remove"],
    [account(submitter), "submission_review", false, "remove"],
    [account(submitter), "submission_accepted", true, "refused"],
    [account(submitter), "normal", true, "refused"],
    [account(other), "submission_review", true, "refused"],
    [account(other), "normal", true, "refused"],
    [account(other), undefined, true, "refused"],
    [account(other), "normal", false, "unknown"],
    [account(other), undefined, false, "unknown"]
  ]
  it.each(cases)("%#", (actor, type, mayRead, expected) => {
    const known = type === undefined ? undefined : membership(type)
    assert.strictEqual(decideRemoval(collection, actor, known, mayRead), expected)
  })

  it("is nobody's because the account that submitted it is gone", () => {
    const orphan = { type: "submission_review", addedBy: undefined } as const
    assert.strictEqual(decideRemoval(collection, guest, orphan, true), "refused")
  })
})

describe("an item", () => {
  const staff = account(other, "MANAGE_POSTS", "MANAGE_COLLECTIONS")
  const admin = account(other, "ADMINISTRATOR")
  const everyone = [account(owner), admin, staff, account(author), account(submitter), account(other), guest]
  const names = ["owner", "admin", "staff", "author", "submitter", "other", "guest"]
  const seeing = (item: ItemState, known: Membership) =>
    names.filter((_, n) => mayShow(collection, known, item, everyone[n] ?? guest))

  const published = threadOf(author, "published")
  const all = names
  const cases: ReadonlyArray<readonly [string, ItemState, Membership, ReadonlyArray<string>]> = [
    ["published, added by the owner", published, membership("normal", owner), all],
    ["published, accepted", published, membership("submission_accepted"), all],
    ["published, pending", published, membership("submission_review"), ["owner", "admin", "author"]],
    [
      "hidden since the owner added it",
      threadOf(author, "draft"),
      membership("normal", owner),
      ["admin", "author"]
    ],
    [
      "hidden since another submitted it",
      threadOf(author, "draft"),
      membership("submission_accepted"),
      ["admin", "author"]
    ],
    [
      "unlisted, submitted by its author",
      threadOf(author, "unlisted"),
      membership("submission_accepted", author),
      ["owner", "admin", "author"]
    ],
    ["a reply held for review", replyOf("review"), membership("normal", owner), ["admin", "author"]],
    [
      "a reply held for review, submitted by its author",
      replyOf("review"),
      membership("submission_review", author),
      ["owner", "admin", "author"]
    ],
    // Its author may not read it either.
    ["a reply that staff hid", replyOf("unlisted"), membership("normal", author), ["admin"]],
    [
      "a reply in a thread that is hidden",
      replyOf("published", threadOf(submitter, "draft")),
      membership("normal", author),
      ["admin"]
    ],
    ["a published page, accepted", nodeOf("published"), membership("submission_accepted"), all],
    [
      "a published page, pending",
      nodeOf("published"),
      membership("submission_review"),
      ["owner", "admin", "author"]
    ],
    // Not even administrators read the drafts of others.
    ["a page that is a draft now", nodeOf("draft"), membership("normal", owner), ["author"]],
    [
      "an unlisted page that its owner submitted",
      nodeOf("unlisted"),
      membership("submission_review", author),
      ["owner", "admin", "author"]
    ],
    ["a page in review", nodeOf("review"), membership("normal", owner), ["admin", "author"]]
  ]
  it.each(cases)("that is %s", (_, item, known, expected) => {
    assert.deepStrictEqual(seeing(item, known), expected)
  })

  it("that is a page is shown to those who may read the library, whether they read threads or not", () => {
    const only = (permission: Permission) => ({ ...guest, permissions: new Set([permission]) })
    const shown = (item: ItemState, actor: Actor) => mayShow(collection, membership("normal"), item, actor)
    assert.isTrue(shown(nodeOf("published"), only("READ_PUBLISHED_LIBRARY")))
    assert.isFalse(shown(nodeOf("published"), only("READ_PUBLISHED_THREADS")))
    assert.isFalse(shown(published, only("READ_PUBLISHED_LIBRARY")))
    assert.isFalse(mayReadItem(nodeOf("published"), only("READ_PUBLISHED_THREADS")))
    assert.isFalse(mayReadItem(nodeOf("draft"), account(other, "MANAGE_LIBRARY")))
    assert.isTrue(mayReadItem(nodeOf("review"), account(other, "MANAGE_LIBRARY")))
  })

  it("is shown to nobody who may not read threads, and cannot be added by them", () => {
    for (const actor of everyone) {
      const bare = { ...actor, permissions: new Set<Permission>(["MANAGE_POSTS"]) }
      assert.isFalse(mayShow(collection, membership("normal"), published, bare))
      assert.isFalse(mayReadItem(published, bare))
    }
    assert.isTrue(mayReadItem(published, guest))
    assert.isFalse(mayReadItem(threadOf(author, "draft"), account(other)))
    assert.isFalse(mayReadItem(replyOf("draft"), account(author)))
  })
})

describe("a collection", () => {
  it("is managed by its owner and staff", () => {
    assert.isTrue(mayManage(collection, account(owner)))
    assert.isTrue(mayManage(collection, account(other, "MANAGE_COLLECTIONS")))
    assert.isTrue(mayManage(collection, account(other, "ADMINISTRATOR")))
    assert.isFalse(mayManage(collection, account(other, "MANAGE_POSTS")))
    assert.isFalse(mayManage(collection, guest))
  })
})
