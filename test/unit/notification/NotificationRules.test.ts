import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MemberMentioned, ThreadReplyCreated } from "../../../src/domain/event/ThreadEvents.ts"
import { notificationsFor } from "../../../src/domain/notification/NotificationRules.ts"
import { AccountId, PostId } from "../../../src/domain/shared/Id.ts"

const [a, b, c] = ["a", "b", "c"].map((letter) => AccountId.make(letter.repeat(20)))
const [thread_id, reply_id, target] = ["0", "1", "2"].map((digit) => PostId.make(digit.repeat(20)))
if (!a || !b || !c || !thread_id || !reply_id || !target) throw new Error("unreachable")

const replyBy = (by: AccountId, threadAuthor: AccountId, answered?: AccountId): ThreadReplyCreated => ({
  _tag: "ThreadReplyCreated",
  thread_id,
  reply_id,
  thread_author_id: threadAuthor,
  reply_author_id: by,
  ...(answered === undefined ? {} : { reply_to_author_id: answered, reply_to_target_id: target })
})

describe("notificationsFor", () => {
  const threadReply = (accountId: AccountId, sourceId: AccountId) => ({
    accountId,
    sourceId,
    event: "thread_reply",
    postId: thread_id,
    replyId: reply_id
  })
  const answer = (accountId: AccountId, sourceId: AccountId) => ({
    accountId,
    sourceId,
    event: "reply_to_reply",
    postId: reply_id
  })

  it.each([
    ["a reply", replyBy(b, a), [threadReply(a, b)]],
    ["a reply to one's own thread", replyBy(a, a), []],
    ["an answer", replyBy(c, a, b), [threadReply(a, c), answer(b, c)]],
    ["an answer to the thread's author", replyBy(b, a, a), [threadReply(a, b), answer(a, b)]],
    ["an answer to oneself", replyBy(b, a, b), [threadReply(a, b)]],
    ["an answer in one's own thread", replyBy(a, a, b), [answer(b, a)]],
    ["an answer to oneself in one's own thread", replyBy(a, a, a), []],
    [
      "a mention",
      { _tag: "MemberMentioned", by: a, mentioned: b, thread_id },
      [{ accountId: b, sourceId: a, event: "profile_mention", postId: thread_id }]
    ],
    [
      "a mention in a reply",
      { _tag: "MemberMentioned", by: a, mentioned: b, thread_id, reply_id },
      [{ accountId: b, sourceId: a, event: "profile_mention", postId: reply_id }]
    ],
    ["a mention of oneself", { _tag: "MemberMentioned", by: a, mentioned: a, thread_id }, []]
  ] satisfies ReadonlyArray<readonly [string, ThreadReplyCreated | MemberMentioned, ReadonlyArray<object>]>)(
    "of %s",
    (_, event, due) => {
      expect(notificationsFor(event)).toEqual(due)
    }
  )

  it("notifies nobody of their own actions, and nobody twice", () => {
    const account = fc.constantFrom(a, b, c)
    fc.assert(
      fc.property(account, account, fc.option(account, { nil: undefined }), (by, author, answered) => {
        const due = notificationsFor(replyBy(by, author, answered))
        for (const notification of due) expect(notification.accountId).not.toBe(by)
        const keys = due.map(({ accountId, event }) => `${accountId} ${event}`)
        expect(new Set(keys).size).toBe(keys.length)
      })
    )
  })
})
