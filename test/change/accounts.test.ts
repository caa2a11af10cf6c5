/** What others are told of accounts, and of what staff do with them. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { enterFrom, goElsewhere, keycloak, offerAll, openid } from "../elsewhere/support.ts"
import { ok } from "../support/answers.ts"
import { addressOf, askForCode, codeMember, emailMember, signUpByCode, verify } from "../support/emails.ts"
import { codeTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, grant, password, signUp } from "../support/people.ts"
import { admin } from "../support/roles.ts"
import { tells, told } from "./listening.ts"

const account = (what: string, { id }: { readonly id: string }) => ({ event: `EventAccount${what}`, id })

layer(People.layer)("an account", (it) => {
  it.effect("is told of once when it is new, however it is made", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const cases = [
        signUp("magni"),
        emailMember("modi"),
        Effect.map(signUpByCode({ email: addressOf("ull"), handle: "ull" }), ok),
        Effect.map(odin.post("/accounts", { handle: "vili", name: "Vili", admin: true }), ok),
        Effect.andThen(
          offerAll,
          enterFrom(openid, { sub: "1", email: "ve@asgard.test", email_verified: true })
        )
      ]
      for (const made of cases) {
        const { answer, changes } = yield* told(made)
        assert.deepStrictEqual(changes, [account("Created", answer)])
      }
    })
  )

  it.effect("is told of when its profile changes", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const updated = account("Updated", freya)
      yield* tells(freya.patch("/accounts", { name: "Freyja", bio: "<p>Cats</p>" }), updated)
      yield* tells(freya.patch("/accounts", {}))
      yield* tells(odin.patch(`/accounts/${freya.id}`, { name: "Freya" }), updated)
      yield* tells(odin.patch(`/accounts/${freya.id}`, { name: "Freya", admin: true }), updated)
      yield* tells(odin.patch(`/accounts/${freya.id}`, { admin: false }), updated)
      yield* tells(
        odin.post("/admin/actions", {
          action: "purge_account",
          account_id: freya.id,
          include: ["profile_bio"]
        }),
        updated
      )
    })
  )

  it.effect("is told of when its roles and its badge change", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const updated = account("Updated", loki)
      const { id } = yield* tells(odin.post("/roles", { name: "Trickster", colour: "red", permissions: [] }))
      const path = `/accounts/loki/roles/${id}`
      yield* tells(odin.put(path), updated)
      yield* tells(loki.put(`${path}/badge`), updated)
      yield* tells(loki.delete(`${path}/badge`), updated)
      yield* tells(odin.delete(path), updated)
      yield* tells(odin.delete(path))
      yield* tells(odin.put(`/accounts/loki/roles/${admin.id}`), updated)
      yield* tells(odin.delete(`/accounts/loki/roles/${admin.id}`), updated)
      yield* tells(odin.delete(`/roles/${id}`))
    })
  )

  it.effect("is told of when its email addresses change, or are confirmed", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sif = yield* codeMember("sif")
      const updated = account("Updated", sif)
      const second = "sif@golden.example"
      const { id } = yield* tells(sif.post("/accounts/self/emails", { email_address: second }), updated)
      yield* tells(sif.post("/accounts/self/emails", { email_address: second }))
      yield* tells(verify(second, yield* codeTo(second)), updated)
      yield* tells(askForCode(second))
      yield* tells(verify(second, yield* codeTo(second)))
      yield* tells(odin.patch(`/accounts/${sif.id}/emails/${id}/verified`, { verified: false }), updated)
      yield* tells(sif.delete(`/accounts/self/emails/${id}`), updated)
      yield* tells(sif.delete(`/accounts/self/emails/${id}`))
    })
  )

  it.effect(
    "is told of when it gets the address of an account elsewhere, and not when it has that already",
    () =>
      Effect.gen(function* () {
        yield* offerAll
        const hermod = yield* signUp("hermod")
        const updated = account("Updated", hermod)
        const claims = { email: "hermod@asgard.test", email_verified: true }
        yield* tells(goElsewhere(openid, { sub: "2", ...claims }, { person: hermod }), updated)
        yield* tells(goElsewhere(keycloak, { sub: "3", ...claims }, { person: hermod }))
      })
  )

  it.effect("is not told of when it signs in, follows or changes its password", () =>
    Effect.gen(function* () {
      const { freya, loki } = yield* Cast
      yield* tells(freya.put(`/profiles/${loki.id}/followers`))
      yield* tells(freya.delete(`/profiles/${loki.id}/followers`))
      yield* tells(People.signIn("freya"))
      yield* tells(freya.patch("/auth/password", { old: password, new: `${password} again` }))
    })
  )

  it.effect("is told of when it is suspended and reinstated", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const hodr = yield* signUp("hodr")
      yield* tells(odin.post("/admin/bans/hodr"), account("Suspended", hodr))
      yield* tells(odin.delete("/admin/bans/hodr"), account("Unsuspended", hodr))
    })
  )
})

layer(People.layer)("what staff say of an account", (it) => {
  it.effect("is told of when they write and delete notes", () =>
    Effect.gen(function* () {
      const { freya, odin } = yield* Cast
      const path = `/accounts/${freya.id}/moderation-notes`
      const { answer, changes } = yield* told(Effect.map(odin.post(path, { content: "Cats" }), ok))
      const note = { account_id: freya.id, note_id: answer.id }
      assert.deepStrictEqual(changes, [{ event: "EventModerationNoteCreated", ...note }])
      yield* tells(odin.delete(`${path}/${answer.id}`), { event: "EventModerationNoteDeleted", ...note })
    })
  )

  it.effect("is told of when they give, change and take back warnings, with who gave them", () =>
    Effect.gen(function* () {
      const { freya, odin, tyr } = yield* Cast
      yield* grant(tyr, "VIEW_ACCOUNTS", "MANAGE_WARNINGS")
      const path = `/accounts/${freya.id}/warnings`
      const { answer, changes } = yield* told(Effect.map(tyr.post(path, { reason: "Too loud" }), ok))
      const warning = { account_id: freya.id, author_id: tyr.id, warning_id: answer.id }
      assert.deepStrictEqual(changes, [{ event: "EventAccountWarned", ...warning }])
      const one = `${path}/${answer.id}`
      yield* tells(odin.patch(one, { reason: "Far too loud" }), {
        event: "EventAccountWarningUpdated",
        ...warning,
        previous_reason: "Too loud",
        reason: "Far too loud"
      })
      yield* tells(odin.patch(one, { reason: "Far too loud" }))
      yield* tells(odin.delete(one), { event: "EventAccountWarningDeleted", ...warning })
    })
  )
})
