/** What the description says of who may see something is what the rules decide. */
import { assert, describe, it } from "@effect/vitest"
import { maySee } from "../../src/domain/calendar/CalendarRules.ts"
import { mayReadNode } from "../../src/domain/library/NodeRules.ts"
import { AccountId, PostId } from "../../src/domain/shared/Id.ts"
import type { Permission } from "../../src/domain/shared/Permission.ts"
import { Visibility } from "../../src/domain/shared/Visibility.ts"
import { mayReadPost, mayReadThread } from "../../src/domain/thread/ThreadRules.ts"
import { isObject, type Json, objectAt, textAt } from "../../src/http/document/Json.ts"
import { account } from "../support/actors.ts"
import { document } from "../support/conformance.ts"

const author = AccountId.make("a".repeat(20))
const other = AccountId.make("b".repeat(20))

const reads: ReadonlyArray<Permission> = ["READ_PUBLISHED_THREADS", "READ_PUBLISHED_LIBRARY"]

/** Those whom texts speak of, who are nothing else. */
const people = {
  "its author": account(author, ...reads),
  "its owner": account(author, ...reads),
  "holders of MANAGE_POSTS": account(other, "MANAGE_POSTS", ...reads),
  "holders of MANAGE_LIBRARY": account(other, "MANAGE_LIBRARY", ...reads),
  "holders of MANAGE_EVENTS": account(other, "MANAGE_EVENTS"),
  "everyone who may read threads": account(other, ...reads),
  "everyone who may read its thread": account(other, ...reads),
  "everyone who may read the library": account(other, ...reads),
  everyone: account(other),
  "its participants": account(other),
  "its hosts": account(other)
}
type Who = keyof typeof people

const isWho = (text: string): text is Who => text in people

/** Of a text such as "A, B and C if `x` or `y`; D if `z`.", who may see what. */
const saidIn = (text: string): ReadonlyMap<string, ReadonlyArray<Who>> => {
  const said = new Map<string, ReadonlyArray<Who>>()
  for (const part of text.split("; ")) {
    const [who = "", when = ""] = part.split(" if ")
    const whom = who.split(/, | and /)
    assert.isTrue(whom.every(isWho), `${who} of ${text}`)
    for (const [, visibility = ""] of when.matchAll(/`(\w+)`/g)) said.set(visibility, whom.filter(isWho))
  }
  return said
}

type Decision = (who: Who, visibility: Visibility) => boolean

const thread = (visibility: Visibility) => ({ authorId: author, visibility })
const threadId = PostId.make("c".repeat(20))

const decisions = {
  thread: (who, visibility) => mayReadThread(thread(visibility), people[who]),
  reply: (who, visibility) =>
    mayReadPost(
      {
        id: PostId.make("d".repeat(20)),
        authorId: author,
        visibility,
        thread: { id: threadId, authorId: other, visibility: "published" }
      },
      people[who]
    ),
  page: (who, visibility) => mayReadNode({ ownerId: author, visibility }, people[who]),
  event: (who, visibility) =>
    maySee(
      {
        visibility,
        callerRole: who === "its participants" ? "attendee" : who === "its hosts" ? "host" : undefined
      },
      people[who]
    )
} satisfies { readonly [kind: string]: Decision }

const groups = {
  thread: ["its author", "holders of MANAGE_POSTS", "everyone who may read threads"],
  reply: ["its author", "holders of MANAGE_POSTS", "everyone who may read its thread"],
  page: ["its owner", "holders of MANAGE_LIBRARY", "everyone who may read the library"],
  event: ["its participants", "its hosts", "holders of MANAGE_EVENTS", "everyone"]
} satisfies { readonly [kind: string]: ReadonlyArray<Who> }
type Kind = keyof typeof groups

/** What is said of a kind of thing, of all visibilities, is what is decided. */
const check = (kind: Kind, text: string) => {
  const said = saidIn(text)
  const everyone = groups[kind].at(-1)
  for (const visibility of Visibility.literals) {
    const may = groups[kind].filter((who) => decisions[kind](who, visibility))
    // Whoever everyone is needs no mention of others.
    const expected = everyone !== undefined && may.includes(everyone) ? [everyone] : may
    assert.deepStrictEqual(said.get(visibility), expected, `${kind}, ${visibility}: ${text}`)
  }
}

/** What "a thread" is, or "it" where there is one kind only. */
const kindOf = (what: string, kinds: ReadonlyArray<Kind>): Kind | undefined =>
  kinds.find((kind) => what === `a ${kind}`) ?? (what === "it" ? kinds[0] : undefined)

const fields: { readonly [schema: string]: ReadonlyArray<Kind> } = {
  Thread: ["thread"],
  ThreadReference: ["thread"],
  ThreadInPart: ["thread"],
  ThreadInitialProps: ["thread"],
  ThreadMutableProps: ["thread"],
  Reply: ["reply"],
  QuotedReply: ["reply"],
  Post: ["thread", "reply"],
  PostInPart: ["thread", "reply"],
  PostReference: ["thread", "reply"],
  PostMutableProps: ["thread", "reply"],
  Node: ["page"],
  NodeReference: ["page"],
  NodeTreeItem: ["page"],
  NodeWithChildren: ["page"],
  NodeInitialProps: ["page"],
  VisibilityMutationProps: ["page"],
  Event: ["event"],
  EventReference: ["event"],
  EventInitialProps: ["event"],
  EventMutableProps: ["event"]
}

const schemas = objectAt(objectAt(document, "components"), "schemas")

const visibilityOf = (schema: Json | undefined) => objectAt(objectAt(schema, "properties"), "visibility")

describe("the visibility", () => {
  it.each(Object.entries(fields))("of a %s is described as it is decided", (schema, kinds) => {
    const text = textAt(visibilityOf(schemas[schema]), "description") ?? ""
    const sentences = [
      ...text.matchAll(/[Ww]ho (?:of those who may read its thread )?may see (\w+(?: \w+)?): ([^.]+)\./g)
    ]
    const said = sentences.map(([, what = "", rule = ""]) => ({ kind: kindOf(what, kinds), rule }))
    assert.deepStrictEqual(
      said.map(({ kind }) => kind),
      [...kinds]
    )
    for (const { kind, rule } of said) if (kind !== undefined) check(kind, rule)
  })

  it("is described wherever it is", () => {
    const described = Object.entries(schemas).flatMap(([name, schema]) =>
      isObject(schema) && textAt(visibilityOf(schema), "$ref") !== undefined ? [name] : []
    )
    assert.sameMembers(described, Object.keys(fields))
  })

  it("says nothing of who sees it where that depends on what has it", () => {
    assert.notMatch(textAt(schemas.Visibility, "description") ?? "", /author|staff|published/)
  })
})
