import { Effect } from "effect"
import { NotificationNotFound } from "../../src/domain/notification/Notification.ts"
import { AccountSuspended } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { idsOf, ok } from "../support/answers.ts"
import { open, reply } from "../support/discussion.ts"
import { Cast, drainEvents, nobody, suspend } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin, tyr } = yield* Cast
  const thread = yield* open(freya, "Thread")
  yield* reply(loki, thread.id, "one")
  yield* reply(odin, thread.id, "two")
  yield* drainEvents
  const [one, two] = idsOf(ok(yield* freya.get("/notifications")).notifications)
  const mention = `<a href="sdr:profile/${loki.id}">Loki</a>`
  const draft = yield* open(freya, "Draft", { visibility: "draft", body: mention })
  yield* suspend(tyr)
  const both = {
    notifications: [
      { id: one, status: "unread" },
      { id: two, status: "read" }
    ]
  }
  return [
    { operation: "NotificationList", call: freya.get("/notifications"), expects: 200, statements: 6 },
    {
      operation: "NotificationList",
      when: "the second page",
      call: freya.get("/notifications?page=2&status=read"),
      expects: 200,
      statements: 2
    },
    {
      operation: "NotificationList",
      when: "with an unknown status",
      call: freya.get("/notifications?status=later"),
      expects: InvalidRequest
    },
    {
      operation: "NotificationList",
      when: "by a suspended account",
      call: tyr.get("/notifications"),
      expects: AccountSuspended
    },
    {
      operation: "NotificationUpdate",
      call: freya.patch(`/notifications/${one}`, { status: "read" }),
      expects: 200,
      statements: 5
    },
    {
      operation: "NotificationUpdate",
      when: "unknown",
      call: freya.patch(`/notifications/${nobody}`, {}),
      expects: NotificationNotFound
    },
    {
      operation: "NotificationUpdateMany",
      call: freya.patch("/notifications", both),
      expects: 200,
      statements: 6
    },
    {
      operation: "NotificationUpdateMany",
      when: "of another account",
      call: loki.patch("/notifications", both),
      expects: NotificationNotFound
    },
    {
      operation: "ThreadCreate",
      when: "that mentions somebody",
      call: freya.post("/threads", { title: "Mention", visibility: "published", body: mention }),
      expects: 200,
      statements: 9
    },
    {
      operation: "ReplyCreate",
      when: "that mentions somebody",
      call: freya.post(`/threads/${thread.id}/replies`, { body: mention }),
      expects: 200,
      statements: 5
    },
    {
      operation: "ThreadUpdate",
      when: "that publishes mentions",
      call: freya.patch(`/threads/${draft.id}`, { visibility: "published" }),
      expects: 200,
      statements: 13
    }
  ]
})
