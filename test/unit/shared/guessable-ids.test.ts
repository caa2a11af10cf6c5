/**
 * Ids that count are for what may be found. A kind of thing gets them once somebody has said here that finding one
 * gives nothing that its id alone should open.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

/** What each of these opens is decided by permissions, visibility or ownership. */
const mayBeFound: ReadonlySet<string> = new Set([
  "AccessKeyId",
  "AccountId",
  "AuditEventId",
  "CalendarEventId",
  "CategoryId",
  "CollectionId",
  "EmailAddressId",
  "EmailId",
  "IdentityId",
  "ModerationNoteId",
  "NodeId",
  "NodeVersionId",
  "NotificationId",
  "OAuthAuthorisationId",
  "InitialAccessTokenId",
  "OAuthClientId",
  "OAuthDeviceId",
  "OAuthGrantId",
  "OAuthTokenId",
  "PasskeyId",
  "PhoneNumberId",
  "PluginId",
  "PostId",
  "RemoteConnectionId",
  "ReportId",
  "RoleId",
  "TextMessageId",
  "WarningId",
  "WebhookDeliveryId",
  "WebhookId"
])

/** Where an id has no type of its own, by file. */
const untyped: ReadonlyMap<string, string> = new Map([
  ["domain/asset/ResizedImages.ts", "sets of images, whose bytes have an address that does not name them"],
  ["domain/collection/Memberships.ts", "items of collections, which have no address"],
  ["domain/like/Likes.ts", "likes, which have no address"],
  ["domain/like/LikeNotifications.ts", "notifications"],
  ["domain/library/FieldMoves.ts", "fields"],
  ["domain/notification/VersionNotifications.ts", "notifications"],
  ["domain/notification/NotificationConsumer.ts", "notifications"],
  ["domain/notification/AccountNotifications.ts", "notifications"],
  ["domain/notification/FollowNotifications.ts", "notifications"],
  ["domain/notification/WebhookNotifications.ts", "notifications"],
  [
    "domain/plugin/ConfigurationsElsewhere.ts",
    "configurations that plugins are asked about, which have no address"
  ],
  ["domain/plugin/PluginConnection.ts", "calls on a connection, which have no address"],
  ["domain/profile/Profiles.ts", "who follows whom, which has no address"],
  ["domain/reaction/Reactions.ts", "reactions, which only their owner removes"],
  ["layers/process/StartChecks.ts", "a file that is removed at once"],
  ["persistence/link/LinkWriter.ts", "links"],
  ["persistence/tag/TagWriter.ts", "tags"]
])

const src = "src"

interface Use {
  readonly file: string
  /** The type that the id gets at once, if it gets one. */
  readonly type: string | undefined
}

/** Where a source takes ids that count. */
const usesIn = (file: string, source: string): ReadonlyArray<Use> =>
  [...source.matchAll(/(?:(\w+)\.make\(yield\* )?(?:\bids|Ids\)|\bIds)\.next\b/g)].map(([, type]) => ({
    file,
    type: type === "Id" ? undefined : type
  }))

const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .sort()
  .map((name) => [name, readFileSync(join(src, name), "utf8")] as const)

const uses = sources.flatMap(([name, source]) => usesIn(name, source))

const isAllowed = ({ file, type }: Use) => (type === undefined ? untyped.has(file) : mayBeFound.has(type))

describe("an id that counts", () => {
  it("is for what may be found", () => {
    assert.deepStrictEqual(
      uses.filter((use) => !isAllowed(use)),
      []
    )
  })

  it("is listed here only while something takes it", () => {
    const types = new Set(uses.map(({ type }) => type))
    const files = new Set(uses.flatMap(({ file, type }) => (type === undefined ? [file] : [])))
    assert.deepStrictEqual(
      [...mayBeFound].filter((type) => !types.has(type)),
      []
    )
    assert.deepStrictEqual(
      [...untyped.keys()].filter((file) => !files.has(file)),
      []
    )
  })

  it.each([
    ["InvitationId.make(yield* ids.next)", "InvitationId"],
    ["token: yield* ids.next,", undefined],
    ["key: yield* (yield* Ids).next", undefined],
    ["Effect.flatMap(Ids, (all) => Ids.next)", undefined]
  ])("is found in %s", (source, type) => {
    const found = usesIn("x.ts", source)
    assert.deepStrictEqual(found, [{ file: "x.ts", type }])
    assert.isFalse(found.some(isAllowed))
  })

  it("is taken from the service by that name alone", () => {
    const unpacked = sources.filter(([, source]) => /\{[^}]*\bnext\b[^}]*\} = yield\* Ids/.test(source))
    assert.deepStrictEqual(unpacked, [])
  })
})
