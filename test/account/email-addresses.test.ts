/** The email addresses of accounts, as owners and staff change them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountNotFound, AccountStronger } from "../../src/domain/account/Account.ts"
import {
  addressesMax,
  EmailAddressNotFound,
  EmailAddressTaken,
  TooManyEmailAddresses
} from "../../src/domain/account/Email.ts"
import { CodeWrong, EmailAddressUnknown } from "../../src/domain/authentication/EmailSignIn.ts"
import { MailLimitReached } from "../../src/domain/mail/Outbox.ts"
import { AccountSuspended, Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ok } from "../support/answers.ts"
import {
  accountOf,
  addressOf,
  askForCode,
  codeMember,
  confirm,
  emailMember,
  signInByEmail,
  verify
} from "../support/emails.ts"
import { codeTo, mailsTo } from "../support/mails.ts"
import * as People from "../support/people.ts"
import { Cast, call, grant, guest, nobody, type Person, signUp, suspend } from "../support/people.ts"
import { assertInvalid, assertProblem } from "../support/problems.ts"
import * as TestApp from "../support/TestApp.ts"

const add = (person: Person, email_address: unknown) =>
  person.post("/accounts/self/emails", { email_address })

const remove = (person: Person, id: string) => person.delete(`/accounts/self/emails/${id}`)

const setVerified = (staff: Person, account: string, address: string, verified: unknown) =>
  staff.patch(`/accounts/${account}/emails/${address}/verified`, { verified })

const statusOf = (person: Person) =>
  Effect.map(accountOf(person), ({ verified_status }): string => verified_status)

const setStatus = (person: Person, status: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql`update accounts set verified_status = ${status} where id = ${person.id}`
  )

/** Asserts that a change is seen by whoever asks again for the account or for its profile. */
const assertSeen = Effect.fnUntraced(function* <A, E, R>(person: Person, change: Effect.Effect<A, E, R>) {
  const { handle } = yield* accountOf(person)
  const paths = ["/accounts", `/profiles/${handle}`]
  const before = yield* Effect.forEach(paths, (path) => person.get(path))
  yield* TestClock.adjust("1 second")
  const result = yield* change
  for (const [index, path] of paths.entries()) {
    const headers = { "if-none-match": before[index]?.headers.etag ?? assert.fail("no tag") }
    assert.strictEqual((yield* person.get(path, { headers })).status, 200, path)
  }
  return result
})

layer(Layer.provideMerge(TestApp.uncached, People.layer))("adding an email address", (it) => {
  it.effect("stores it in lower case and not verified, and sends it a code", () =>
    Effect.gen(function* () {
      const { freya } = yield* Cast
      const added = ok(yield* assertSeen(freya, add(freya, "Freya <FREYA@Asgard.example>")))
      assert.deepStrictEqual(added, { id: added.id, email_address: "freya@asgard.example", verified: false })
      const account = yield* accountOf(freya)
      assert.deepStrictEqual(account.email_addresses, [added])
      assert.strictEqual(account.verified_status, "none")
      assert.deepStrictEqual(account.auth_services, ["password"])
      assert.strictEqual((yield* mailsTo("freya@asgard.example"))[0]?.recipient_name, "freya")
      assert.deepStrictEqual(ok(yield* confirm("freya@asgard.example")), { id: freya.id })
      assert.strictEqual(yield* statusOf(freya), "verified_email")
      const second = ok(yield* add(freya, "freya@vanaheim.example"))
      assert.deepStrictEqual((yield* accountOf(freya)).email_addresses, [
        { ...added, verified: true },
        second
      ])
      assert.strictEqual(yield* statusOf(freya), "verified_email")
    })
  )

  it.effect("is shown to owners and staff, and to nobody else", () =>
    Effect.gen(function* () {
      const { loki, odin } = yield* Cast
      const eir = yield* signUp("eir")
      ok(yield* add(eir, "secret@asgard.example"))
      assert.include((yield* odin.get(`/accounts/${eir.id}`)).text, "secret@asgard.example")
      for (const path of ["/profiles/eir", "/profiles", "/profiles/eir/followers", "/admin/audit-events"]) {
        assert.notInclude((yield* loki.get(path)).text, "secret@asgard.example")
      }
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ readonly t: string }>`select event::text as t from event_log`
      for (const { t } of events) assert.notInclude(t, "secret")
    })
  )

  it.effect("again sends another code, and changes nothing else", () =>
    Effect.gen(function* () {
      const hod = yield* emailMember("hod")
      const [{ id }] = (yield* accountOf(hod)).email_addresses
      const first = yield* codeTo(addressOf("hod"))
      assert.deepStrictEqual(ok(yield* add(hod, "HOD@asgard.example")), {
        id,
        email_address: "hod@asgard.example",
        verified: false
      })
      assertProblem(yield* verify(addressOf("hod"), first), CodeWrong)
      ok(yield* confirm(addressOf("hod")))
      assert.strictEqual(ok(yield* add(hod, "hod@asgard.example")).verified, true)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select from event_log
        where actor_id = ${hod.id} and event ->> '_tag' = 'EmailAddressAdded'`
      assert.lengthOf(rows, 1)
    })
  )

  it.effect(
    "is refused to guests and suspended accounts, for what is no address, and for one of another account",
    () =>
      Effect.gen(function* () {
        const { loki } = yield* Cast
        const sif = yield* emailMember("sif")
        assertProblem(yield* add(guest, "x"), Unauthenticated)
        for (const invalid of ["", "x", "@", "a b@c.example", "a@b.example\r\nBcc: c@d.example", 7, null]) {
          assertInvalid(yield* add(loki, invalid), "body email_address")
        }
        assertInvalid(
          yield* add(loki, `${"x".repeat(64)}@${"y".repeat(63)}.${"z".repeat(63)}.${"w".repeat(63)}`),
          "body email_address"
        )
        assertInvalid(yield* loki.post("/accounts/self/emails", {}), "body email_address")
        assertProblem(yield* add(loki, "SIF@asgard.example"), EmailAddressTaken, {
          email_address: addressOf("sif")
        })
        assert.lengthOf(yield* mailsTo(addressOf("sif")), 1)
        yield* suspend(sif)
        assertProblem(yield* add(sif, "sif@vanaheim.example"), AccountSuspended)
        assert.deepStrictEqual((yield* accountOf(loki)).email_addresses, [])
      })
  )

  it.effect("is possible for twenty, also at the same time", () =>
    Effect.gen(function* () {
      const ran = yield* signUp("ran")
      const answers = yield* Effect.forEach(
        Array(addressesMax + 5).keys(),
        (number) => add(ran, `ran${number}@asgard.example`),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 5)
      for (const answer of refused) {
        assertProblem(answer, TooManyEmailAddresses, { maximum: addressesMax })
      }
      const { email_addresses } = yield* accountOf(ran)
      assert.lengthOf(email_addresses, addressesMax)
      ok(yield* remove(ran, email_addresses[0].id))
      ok(yield* add(ran, "ran@asgard.example"))
    })
  )

  it.effect("gives one of twenty accounts an address that all add at the same time, on two instances", () =>
    Effect.gen(function* () {
      const people = yield* Effect.forEach(Array(20).keys(), (number) => signUp(`one-of-${number}`))
      const email_address = "wanted@asgard.example"
      const elsewhere = yield* TestApp.UncachedClient
      const answers = yield* Effect.forEach(
        people,
        (person, number) =>
          number % 2 === 0
            ? add(person, email_address)
            : Effect.provideService(
                call("POST", "/api/accounts/self/emails", {
                  body: { email_address },
                  headers: person.headers
                }),
                HttpClient.HttpClient,
                elsewhere
              ),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 19)
      for (const answer of refused) assertProblem(answer, EmailAddressTaken)
      assert.lengthOf(yield* mailsTo(email_address), 1)
    })
  )

  it.effect("answers all of an account's requests for one address at the same time alike", () =>
    Effect.gen(function* () {
      const ve = yield* signUp("ve")
      const answers = yield* Effect.forEach(Array(5).keys(), () => add(ve, "ve@asgard.example"), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(answers.map((answer) => ok(answer).id)).size, 1)
      assertProblem(yield* add(ve, "ve@asgard.example"), MailLimitReached)
    })
  )

  it.effect("stores nothing when the address may be sent no more mails", () =>
    Effect.gen(function* () {
      const vili = yield* signUp("vili")
      for (let number = 0; number < 5; number++) {
        ok(yield* remove(vili, ok(yield* add(vili, "vili@asgard.example")).id))
      }
      assertProblem(yield* add(vili, "vili@asgard.example"), MailLimitReached)
      assert.deepStrictEqual((yield* accountOf(vili)).email_addresses, [])
    })
  )
})

layer(People.layer)("removing an email address", (it) => {
  it.effect("takes it from the account, which then signs in with it no more", () =>
    Effect.gen(function* () {
      const hel = yield* emailMember("hel")
      ok(yield* confirm(addressOf("hel")))
      const [{ id }] = (yield* accountOf(hel)).email_addresses
      const answer = yield* assertSeen(hel, remove(hel, id))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.text, "")
      const account = yield* accountOf(hel)
      assert.deepStrictEqual(account.email_addresses, [])
      assert.strictEqual(account.verified_status, "none")
      assertProblem(yield* signInByEmail(addressOf("hel")), EmailAddressUnknown)
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ readonly event: object }>`select event from event_log
        where actor_id = ${hel.id} and event ->> '_tag' = 'EmailAddressRemoved'`
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        [{ _tag: "EmailAddressRemoved", account_id: hel.id, email_address_id: id }]
      )
    })
  )

  it.effect("changes nothing for an address of another account, a removed one, and an unknown one", () =>
    Effect.gen(function* () {
      const { loki } = yield* Cast
      const sif = yield* emailMember("sif")
      const [address] = (yield* accountOf(sif)).email_addresses
      const removed = ok(yield* add(loki, "loki@asgard.example"))
      ok(yield* remove(loki, removed.id))
      const before = yield* accountOf(loki)
      yield* TestClock.adjust("1 second")
      for (const id of [address.id, removed.id, nobody]) {
        const answer = yield* remove(loki, id)
        assert.strictEqual(answer.status, 200, answer.text)
      }
      assert.deepStrictEqual(yield* accountOf(loki), before)
      assert.deepStrictEqual((yield* accountOf(sif)).email_addresses, [address])
      assertInvalid(yield* remove(loki, "nope"), "path email_address_id")
      assertProblem(yield* remove(guest, address.id), Unauthenticated)
    })
  )

  it.effect("keeps an account verified that has another verified address, or that staff have verified", () =>
    Effect.gen(function* () {
      const vali = yield* emailMember("vali")
      const other = ok(yield* add(vali, "vali@vanaheim.example"))
      ok(yield* confirm(addressOf("vali")))
      ok(yield* confirm("vali@vanaheim.example"))
      ok(yield* remove(vali, other.id))
      assert.strictEqual(yield* statusOf(vali), "verified_email")
      const [{ id }] = (yield* accountOf(vali)).email_addresses
      yield* setStatus(vali, "manual")
      ok(yield* remove(vali, id))
      assert.strictEqual(yield* statusOf(vali), "manual")
      ok(yield* add(vali, "vali@vanaheim.example"))
      assert.strictEqual(yield* statusOf(vali), "manual")
      ok(yield* confirm("vali@vanaheim.example"))
      assert.strictEqual(yield* statusOf(vali), "verified_email")
    })
  )

  it.effect(
    "is possible for the only one to which codes go; its owner is still signed in and adds another",
    () =>
      Effect.gen(function* () {
        const bragi = yield* codeMember("bragi")
        const [{ id }] = (yield* accountOf(bragi)).email_addresses
        const answer = yield* remove(bragi, id)
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        assertProblem(yield* askForCode(addressOf("bragi")), EmailAddressUnknown)
        ok(yield* add(bragi, "bragi@vanaheim.example"))
        ok(yield* askForCode("bragi@vanaheim.example"))
        assert.deepStrictEqual(ok(yield* confirm("bragi@vanaheim.example")), { id: bragi.id })
      })
  )

  it.effect(
    "and sending its code back at the same time leave an account that is verified by what it has",
    () =>
      Effect.gen(function* () {
        for (let round = 0; round < 10; round++) {
          const handle = `both${round}`
          const person = yield* emailMember(handle)
          const [{ id }] = (yield* accountOf(person)).email_addresses
          const code = yield* codeTo(addressOf(handle))
          const [removed, verified] = yield* Effect.all(
            [remove(person, id), verify(addressOf(handle), code)],
            { concurrency: "unbounded" }
          )
          ok(removed)
          assert.oneOf(verified.status, [200, 401], verified.text)
          const account = yield* accountOf(person)
          assert.deepStrictEqual(account.email_addresses, [])
          assert.strictEqual(account.verified_status, "none")
        }
      })
  )
})

layer(People.layer)("what staff say of an email address", (it) => {
  it.effect("counts for the account, in both directions, and sends no mail", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const sif = yield* emailMember("sif")
      const [address] = (yield* accountOf(sif)).email_addresses
      const override = (verified: boolean) => setVerified(odin, sif.id, address.id, verified)
      assert.deepStrictEqual(ok(yield* assertSeen(sif, override(true))), { ...address, verified: true })
      assert.strictEqual(yield* statusOf(sif), "verified_email")
      assert.deepStrictEqual(ok(yield* assertSeen(sif, override(false))), address)
      assert.strictEqual(yield* statusOf(sif), "none")
      yield* setStatus(sif, "manual")
      ok(yield* override(false))
      assert.strictEqual(yield* statusOf(sif), "manual")
      ok(yield* override(true))
      assert.strictEqual(yield* statusOf(sif), "verified_email")
      assert.lengthOf(yield* mailsTo(addressOf("sif")), 1)
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{ readonly event: object }>`select event from event_log
        where actor_id = ${odin.id} and event ->> '_tag' = 'EmailAddressVerified' order by id`
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        [true, false, false, true].map((verified) => ({
          _tag: "EmailAddressVerified",
          account_id: sif.id,
          email_address_id: address.id,
          verified
        }))
      )
    })
  )

  it.effect("needs MANAGE_ACCOUNTS, and ADMINISTRATOR for administrators", () =>
    Effect.gen(function* () {
      const { freya, loki, odin } = yield* Cast
      const hel = yield* emailMember("hel")
      const [{ id }] = (yield* accountOf(hel)).email_addresses
      assertProblem(yield* setVerified(guest, hel.id, id, "x"), Unauthenticated)
      for (const person of [hel, loki]) assertProblem(yield* setVerified(person, hel.id, id, true), Forbidden)
      yield* grant(loki, "MANAGE_ACCOUNTS")
      ok(yield* setVerified(loki, hel.id, id, true))
      yield* grant(freya, "ADMINISTRATOR")
      for (const administrator of [odin, freya]) {
        const { id } = ok(yield* add(administrator, `${administrator.id}@asgard.example`))
        assertProblem(yield* setVerified(loki, administrator.id, id, true), AccountStronger)
        ok(yield* setVerified(freya, administrator.id, id, true))
      }
    })
  )

  it.effect("is refused for accounts and addresses that there are not, and for addresses of others", () =>
    Effect.gen(function* () {
      const { odin } = yield* Cast
      const [ask, embla] = [yield* emailMember("ask"), yield* emailMember("embla")]
      const [{ id }] = (yield* accountOf(embla)).email_addresses
      assertProblem(yield* setVerified(odin, nobody, id, true), AccountNotFound, { account: nobody })
      for (const other of [id, nobody, "nope"]) {
        assertProblem(yield* setVerified(odin, ask.id, other, true), EmailAddressNotFound, {
          email_address: other
        })
      }
      assertInvalid(yield* setVerified(odin, "nope", id, true), "path account_id")
      assertInvalid(yield* setVerified(odin, embla.id, id, "yes"), "body verified")
      assertInvalid(yield* odin.patch(`/accounts/${embla.id}/emails/${id}/verified`, {}), "body verified")
      assert.strictEqual(yield* statusOf(embla), "none")
    })
  )
})
