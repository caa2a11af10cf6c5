import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { decideShown, type Reported } from "../../../src/domain/report/ReportAudience.ts"
import { decideUpdate } from "../../../src/domain/report/ReportRules.ts"
import type { AccountActor } from "../../../src/domain/shared/Actor.ts"
import { AccountId, NodeId, PostId } from "../../../src/domain/shared/Id.ts"
import type { Permission } from "../../../src/domain/shared/Permission.ts"
import type { Visibility } from "../../../src/domain/shared/Visibility.ts"
import type { ReportStatus } from "../../../src/domain/vocabulary/ReportStatus.ts"

const [me, reporter, other] = [
  AccountId.make("00000000000000000100"),
  AccountId.make("00000000000000000110"),
  AccountId.make("00000000000000000120")
]

const caller = (accountId: AccountId, ...permissions: ReadonlyArray<Permission>): AccountActor => ({
  _tag: "Account",
  accountId,
  permissions: new Set(permissions),
  suspended: false,
  credential: "cookie"
})

const manager = caller(me, "MANAGE_REPORTS")

describe("a change of a report", () => {
  type Changes = Parameters<typeof decideUpdate>[2]
  const report = (status: ReportStatus, handledBy?: AccountId) => ({
    reportedBy: reporter,
    status,
    handledBy
  })

  it.each<readonly [actor: AccountActor, before: ReturnType<typeof report>, changes: Changes, after: object]>(
    [
      [manager, report("submitted"), {}, {}],
      [manager, report("submitted"), { status: "acknowledged" }, { status: "acknowledged", handledBy: me }],
      [manager, report("resolved", me), { status: "submitted" }, { status: "submitted" }],
      [manager, report("acknowledged", me), { status: "acknowledged" }, {}],
      [manager, report("acknowledged", other), { status: "acknowledged" }, { handledBy: me }],
      [manager, report("submitted"), { handled_by: other }, { handledBy: other }],
      [manager, report("submitted", other), { handled_by: other }, {}],
      [
        manager,
        report("submitted", me),
        { status: "resolved", handled_by: other },
        { status: "resolved", handledBy: other }
      ],
      [
        caller(other, "ADMINISTRATOR"),
        report("submitted"),
        { status: "resolved" },
        { status: "resolved", handledBy: other }
      ],
      [caller(reporter), report("submitted"), {}, { status: "resolved" }],
      [caller(reporter), report("acknowledged", me), { status: "resolved" }, { status: "resolved" }],
      [caller(reporter), report("resolved", me), { status: "resolved" }, {}],
      [
        caller(reporter, "MANAGE_REPORTS"),
        report("resolved"),
        { status: "submitted" },
        { status: "submitted", handledBy: reporter }
      ]
    ]
  )("%# changes what is different", (actor, before, changes, after) => {
    expect(decideUpdate(before, actor, changes)).toEqual(Result.succeed(after))
  })

  it.each<readonly [actor: AccountActor, changes: Changes]>([
    [caller(reporter), { status: "acknowledged" }],
    [caller(reporter), { status: "submitted" }],
    [caller(reporter), { status: "resolved", handled_by: reporter }],
    [caller(reporter), { handled_by: reporter }],
    [caller(other), {}],
    [caller(other, "MANAGE_POSTS"), { status: "resolved" }]
  ])("%# is refused", (actor, changes) => {
    expect(Result.isFailure(decideUpdate(report("submitted"), actor, changes))).toBe(true)
  })
})

describe("a manager of reports", () => {
  const holding = (...permissions: ReadonlyArray<Permission>) => ({
    accountId: me,
    permissions: new Set<Permission>(["MANAGE_REPORTS", ...permissions])
  })
  const id = PostId.make("00000000000000000200")
  const opening = (authorId: AccountId, visibility: Visibility): Reported => ({
    kind: "post",
    post: { id, authorId, visibility, thread: { id, authorId, visibility } }
  })
  const reply = (visibility: Visibility, ofThread: Visibility): Reported => ({
    kind: "post",
    post: {
      id: PostId.make("00000000000000000210"),
      authorId: other,
      visibility,
      thread: { id, authorId: other, visibility: ofThread }
    }
  })
  const page = (ownerId: AccountId, visibility: Visibility): Reported => ({
    kind: "node",
    id: NodeId.make("00000000000000000220"),
    standing: { ownerId, visibility }
  })
  const profile = (of: AccountId): Reported => ({ kind: "profile", id: of })

  it.each<
    readonly [
      Reported | undefined,
      ReadonlyArray<Permission>,
      keyof ReturnType<typeof decideShown> | undefined
    ]
  >([
    [undefined, ["ADMINISTRATOR"], undefined],
    [opening(other, "published"), [], "postId"],
    [opening(other, "review"), [], undefined],
    [opening(other, "review"), ["MANAGE_POSTS"], "postId"],
    [opening(other, "draft"), ["ADMINISTRATOR"], "postId"],
    [opening(me, "draft"), [], "postId"],
    [reply("published", "draft"), [], undefined],
    [reply("review", "published"), [], undefined],
    [reply("published", "published"), [], "postId"],
    [page(other, "published"), ["READ_PUBLISHED_LIBRARY"], "nodeId"],
    [page(other, "published"), [], undefined],
    [page(other, "review"), ["READ_PUBLISHED_LIBRARY"], undefined],
    [page(other, "review"), ["READ_PUBLISHED_LIBRARY", "MANAGE_LIBRARY"], "nodeId"],
    [page(me, "draft"), ["READ_PUBLISHED_LIBRARY"], "nodeId"],
    [page(other, "draft"), ["ADMINISTRATOR"], undefined],
    [profile(other), [], undefined],
    [profile(other), ["READ_PROFILE"], "profileId"],
    [profile(me), [], "profileId"]
  ])("%# is shown what they may read", (reported, permissions, shown) => {
    expect(Object.keys(decideShown(reported, holding(...permissions)))).toEqual(
      shown === undefined ? [] : [shown]
    )
  })
})
