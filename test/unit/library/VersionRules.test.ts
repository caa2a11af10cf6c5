import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Property } from "../../../src/domain/library/Property.ts"
import {
  decideDraftChange,
  decideDraftRemoval,
  mayFindVersions,
  mayReach,
  mayReachDraft,
  maySeeVersion,
  propertiesToApply,
  proposedTo,
  spanOfPage,
  totalOf
} from "../../../src/domain/library/VersionRules.ts"
import { decideTold } from "../../../src/domain/notification/VersionNotifications.ts"
import type { Actor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, NodeId, NodeVersionId, PropertyFieldId } from "../../../src/domain/shared/Id.ts"
import { account } from "../../support/actors.ts"

const author = AccountId.make("0000000000000000000a")
const owner = AccountId.make("0000000000000000000b")
const other = AccountId.make("0000000000000000000c")

const guest: Actor = { _tag: "Guest", permissions: new Set(["READ_PUBLISHED_LIBRARY"]) }
const manager = account(other, "MANAGE_LIBRARY")

const draft = { authorId: author, status: "draft" } as const
const applied = { authorId: author, status: "applied" } as const

describe("a version", () => {
  it.each([
    ["a draft", draft, "its author", account(author), "allowed"],
    ["a draft", draft, "a manager", manager, "allowed"],
    ["a draft", draft, "an administrator", account(other, "ADMINISTRATOR"), "allowed"],
    ["a draft", draft, "who proposes changes", account(other, "SUBMIT_LIBRARY_NODE_CHANGES"), "unknown"],
    ["a draft", draft, "a guest", guest, "unknown"],
    ["an applied one", applied, "its author", account(author), "applied"],
    ["an applied one", applied, "a manager", manager, "applied"],
    ["an applied one", applied, "a guest", guest, "applied"]
  ] as const)("%s, changed by %3$s: %5$s", (_what, version, _who, actor, decision) => {
    const published = { ownerId: owner, visibility: "published" } as const
    expect(decideDraftChange(version, actor)).toBe(decision)
    expect(maySeeVersion(published, version, actor)).toBe(decision !== "unknown")
    if (version.status === "draft") expect(decideDraftRemoval(published, version, actor)).toBe(decision)
  })

  const reader = account(other, "READ_PUBLISHED_LIBRARY")
  it.each([
    ["draft", draft, "its author", account(author), true, "allowed"],
    ["draft", draft, "the owner", account(owner), true, "allowed"],
    ["unlisted", draft, "the owner", account(owner), true, "allowed"],
    ["review", draft, "the owner", account(owner), true, "allowed"],
    ["published", draft, "the owner", account(owner), false, "unknown"],
    ["draft", draft, "a manager", manager, false, "allowed"],
    ["review", draft, "a manager", manager, true, "allowed"],
    ["draft", draft, "a reader", reader, false, "unknown"],
    ["draft", draft, "a guest", guest, false, "unknown"],
    ["draft", applied, "its author", account(author, "READ_PUBLISHED_LIBRARY"), false, "unknown"],
    ["draft", applied, "the owner", account(owner, "READ_PUBLISHED_LIBRARY"), true, "applied"],
    ["review", applied, "a manager", manager, true, "applied"],
    ["draft", applied, "a manager", manager, false, "applied"],
    ["published", applied, "a reader", reader, true, "applied"]
  ] as const)(
    "of a page that is %s, %j for %3$s: seen %5$s, deleted %6$s",
    (visibility, version, _who, actor, seen, removal) => {
      const node = { ownerId: owner, visibility }
      expect(maySeeVersion(node, version, actor)).toBe(seen)
      expect(decideDraftRemoval(node, version, actor)).toBe(removal)
    }
  )
})

describe("the page of a version", () => {
  const reader = account(other, "READ_PUBLISHED_LIBRARY")
  it.each([
    ["published", "a reader", reader, true],
    ["published", "who may not read the library", account(other, "SUBMIT_LIBRARY_NODE_CHANGES"), false],
    ["review", "a reader", reader, false],
    ["draft", "a reader", reader, false],
    ["unlisted", "its owner", account(owner, "READ_PUBLISHED_LIBRARY"), true],
    ["unlisted", "a manager", manager, true],
    ["draft", "a manager", manager, true]
  ] as const)("if %s, is reached by %s: %4$s", (visibility, _who, actor, isReached) => {
    expect(mayReach({ ownerId: owner, visibility }, actor)).toBe(isReached)
    const node = { ownerId: owner, visibility, drafter: undefined }
    const ownsWithdrawn = visibility !== "published" && actor !== manager && isReached
    expect(mayReachDraft(node, actor)).toBe(isReached || ownsWithdrawn)
  })

  it("that has no draft is nobody's for it", () => {
    const node = { ownerId: owner, visibility: "draft", drafter: undefined } as const
    expect(mayFindVersions(node, guest)).toBe(false)
    expect(mayReachDraft(node, guest)).toBe(false)
  })

  it.each([
    ["published", "its drafter", account(author), true, true],
    ["draft", "its drafter", account(author), true, true],
    ["draft", "its owner without rights", account(owner), true, true],
    ["draft", "a reader", reader, false, false],
    ["draft", "a guest", guest, false, false],
    ["draft", "a manager", manager, false, true],
    ["review", "a manager", manager, true, true]
  ] as const)(
    "if %s and drafted, for %s: found %4$s, cleared %5$s",
    (visibility, who, actor, isFound, isCleared) => {
      const node = { ownerId: owner, visibility, drafter: author }
      expect(mayFindVersions(node, actor)).toBe(isFound)
      expect(mayReachDraft(node, actor)).toBe(isCleared)
      const undrafted = { ...node, drafter: undefined }
      if (who === "its drafter" && visibility === "draft") expect(mayReachDraft(undrafted, actor)).toBe(false)
    }
  )
})

describe("a page of the list of versions", () => {
  it.each([
    ["nothing", { applied: 0, hasDraft: false }, 1, { draft: false, oldest: 1, newest: 0 }],
    ["a draft", { applied: 0, hasDraft: true }, 1, { draft: true, oldest: 1, newest: 0 }],
    ["50", { applied: 50, hasDraft: false }, 1, { draft: false, oldest: 1, newest: 50 }],
    ["51", { applied: 51, hasDraft: false }, 1, { draft: false, oldest: 2, newest: 51 }],
    ["51", { applied: 51, hasDraft: false }, 2, { draft: false, oldest: 1, newest: 1 }],
    ["50 and a draft", { applied: 50, hasDraft: true }, 1, { draft: true, oldest: 2, newest: 50 }],
    ["50 and a draft", { applied: 50, hasDraft: true }, 2, { draft: false, oldest: 1, newest: 1 }]
  ] as const)("of %s, page %3$i", (_what, seen, page, span) => {
    expect(spanOfPage(seen, page)).toEqual(span)
  })

  it("shows every version once, newest first, and the draft before them", () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 }), fc.boolean(), (applied, hasDraft) => {
        const seen = { applied, hasDraft }
        const all = [
          ...(hasDraft ? ["draft"] : []),
          ...Array.from({ length: applied }, (_, n) => applied - n)
        ]
        const shown = Array.from({ length: 10 }, (_, n) => spanOfPage(seen, n + 1)).map((span) => [
          ...(span.draft ? ["draft"] : []),
          ...Array.from({ length: Math.max(0, span.newest - span.oldest + 1) }, (_, n) => span.newest - n)
        ])
        expect(shown.flat()).toEqual(all)
        for (const page of shown) expect(page.length).toBeLessThanOrEqual(50)
        expect(totalOf(seen)).toBe(all.length)
      })
    )
  })

  it("has nothing past the end, however far", () => {
    const span = spanOfPage({ applied: 3, hasDraft: true }, 99_999_999_999_999)
    expect(span).toEqual({ draft: false, oldest: 1, newest: 0 })
  })
})

describe("the properties of a draft", () => {
  const fid = (name: string) => PropertyFieldId.make(name.padEnd(20, "0"))
  const property = (name: string, value: string): Property => ({
    fid: fid(name),
    name,
    type: "text",
    value,
    sort: ""
  })

  const fieldOf = (name: string, type: Property["type"] = "text") => ({
    fid: fid(name),
    name,
    type,
    sort: ""
  })

  it("are kept in full, with the fields as they were then", () => {
    const known = [fieldOf("a"), fieldOf("b", "number")]
    const list = [
      { fid: fid("a"), name: "", value: "1" },
      { fid: fid("b"), name: "renamed", value: "2", sort: "9" },
      { name: "new", type: "text", value: "3" },
      { fid: fid("u"), name: "", value: "4" }
    ] as const
    expect(proposedTo(known, list)).toEqual({
      knownFields: known,
      properties: [
        { fid: fid("a"), name: "a", type: "text", value: "1", sort: "" },
        { fid: fid("b"), name: "renamed", type: "number", value: "2", sort: "9" },
        { name: "new", type: "text", value: "3" },
        { fid: fid("u"), name: "", value: "4" }
      ]
    })
  })

  it("change of a field what their author changed of it, and leave the rest as others have made it since", () => {
    const known = [fieldOf("a"), fieldOf("b"), fieldOf("c")]
    const { properties } = proposedTo(known, [
      { fid: fid("a"), name: "a", type: "text", value: "1", sort: "" },
      { fid: fid("b"), name: "mine", value: "2" },
      { fid: fid("c"), name: "", type: "number", value: "3", sort: "5" }
    ])
    expect(propertiesToApply({ properties, knownFields: known }, [])).toEqual([
      { fid: fid("a"), name: "", value: "1" },
      { fid: fid("b"), name: "mine", value: "2" },
      { fid: fid("c"), name: "", type: "number", value: "3", sort: "5" }
    ])
  })

  it("leave alone only the fields that have been added since", () => {
    const proposed = [
      { fid: fid("a"), name: "", value: "new" },
      { name: "b", value: "1" }
    ]
    const list = propertiesToApply({ properties: proposed, knownFields: [fieldOf("a"), fieldOf("c")] }, [
      property("a", "old"),
      property("c", "left out"),
      property("d", "added"),
      property("e", "")
    ])
    expect(list).toEqual([
      ...proposed,
      { fid: fid("d"), name: "", value: "added" },
      { fid: fid("e"), name: "", value: "" }
    ])
  })

  it("may name a field that has been added since", () => {
    const proposed = [{ fid: fid("d"), name: "", value: "mine" }]
    expect(propertiesToApply({ properties: proposed, knownFields: [] }, [property("d", "yours")])).toEqual(
      proposed
    )
  })
})

describe("of a draft", () => {
  const about = {
    node_id: NodeId.make("00000000000000000010"),
    node_slug: "page",
    version_id: NodeVersionId.make("00000000000000000020"),
    author_id: author,
    owner_id: owner
  }
  const ownAbout = { ...about, author_id: owner }

  it.each([
    ["created by another", { _tag: "NodeVersionDraftCreated", ...about }, author, [owner, author]],
    ["created by its owner", { _tag: "NodeVersionDraftCreated", ...ownAbout }, owner, []],
    ["applied by another", { _tag: "NodeVersionDraftApplied", ...about }, other, [author, other]],
    ["applied by the owner", { _tag: "NodeVersionDraftApplied", ...about }, owner, [author, owner]],
    ["applied by its author", { _tag: "NodeVersionDraftApplied", ...about }, author, []],
    ["deleted by another", { _tag: "NodeVersionDraftDeleted", ...about }, other, [author, other]],
    ["deleted by its author", { _tag: "NodeVersionDraftDeleted", ...about }, author, []],
    ["deleted by nobody", { _tag: "NodeVersionDraftDeleted", ...about }, undefined, []]
  ] as const)("that is %s, the right account is told", (_when, event, actor, told) => {
    expect(decideTold(event, actor).flatMap(({ accountId, sourceId }) => [accountId, sourceId])).toEqual(told)
  })
})
