/** What strangers do to a service on the internet. While it lasts, everybody else is served. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { accounts } from "./areas/accounts.ts"
import { agents, withAgents } from "./areas/agents.ts"
import { appearance } from "./areas/appearance.ts"
import { assets } from "./areas/assets.ts"
import { calendar } from "./areas/calendar.ts"
import { categories } from "./areas/categories.ts"
import { collections } from "./areas/collections.ts"
import { connections } from "./areas/connections.ts"
import { devices } from "./areas/devices.ts"
import { feeds } from "./areas/feeds.ts"
import { keys } from "./areas/keys.ts"
import { library } from "./areas/library.ts"
import { links } from "./areas/links.ts"
import { mail } from "./areas/mail.ts"
import { management } from "./areas/management.ts"
import { moderation } from "./areas/moderation.ts"
import { networks } from "./areas/networks.ts"
import { ownData } from "./areas/ownData.ts"
import { passkeys } from "./areas/passkeys.ts"
import { phones } from "./areas/phones.ts"
import { plugins } from "./areas/plugins.ts"
import { profiles } from "./areas/profiles.ts"
import { quotas, smallQuotas } from "./areas/quotas.ts"
import { reactions } from "./areas/reactions.ts"
import { openRegistration, registrations } from "./areas/registrations.ts"
import { search } from "./areas/search.ts"
import { signIn } from "./areas/signIn.ts"
import { staff } from "./areas/staff.ts"
import { fewStreams, streams } from "./areas/streams.ts"
import { threads } from "./areas/threads.ts"
import { hooks } from "./areas/webhooks.ts"
import { call } from "./clients.ts"
import { type Ending, endOf } from "./ending.ts"
import { holdReads } from "./harness.ts"
import { enteringSeed } from "./seedEntering.ts"
import { librarySeed } from "./seedLibrary.ts"
import { startTarget, type Target, untilIdle } from "./target.ts"

let running: Target
const target = () => running

// One service for each part, so that what one attack leaves is there when the next one comes.
const parts = {
  discussion: { connections, threads, accounts, moderation },
  entering: { signIn, mail, phones, passkeys, networks, registrations, devices },
  files: { assets, appearance, ownData },
  disk: { quotas },
  finding: { links, search },
  community: { profiles, reactions, categories, collections, calendar, feeds },
  following: { keys, streams },
  administration: { staff, management, hooks },
  library: { library },
  plugins: { plugins },
  agents: { agents }
}

const warmUps = 500

/** The code that reads the thread and that writes is loaded and compiled, and connections to the database are open. */
const warmUp = async ({ members, port, spare, thread }: Target) => {
  for (let n = 0; n < warmUps; n++) await call(port, { path: `/api/threads/${thread}` })
  const like = (n: number, method: string) =>
    call(port, { method, path: `/api/likes/posts/${spare}`, headers: members(n).headers })
  for (const method of ["PUT", "DELETE"]) {
    await Promise.all(Array.from({ length: 64 }, (_, n) => like(n, method)))
  }
}

/** What is seeded beside the rest for some parts. */
const seeds: Readonly<Record<string, ReadonlyArray<string>>> = {
  entering: enteringSeed,
  library: librarySeed
}

/** What some parts set otherwise. */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  disk: smallQuotas,
  following: fewStreams,
  entering: openRegistration,
  agents: withAgents
}

/** What becomes of the services whose parts are over: they have little to do while the next part is attacked. */
const endings = new Map<string, Ending>()

for (const [part, areas] of Object.entries(parts)) {
  describe(part, () => {
    let atStart = 0

    beforeAll(async () => {
      running = await startTarget(seeds[part], settings[part])
      await warmUp(running)
      atStart = await running.inUse()
    })

    afterAll(async () => {
      await untilIdle(running)
      endings.set(part, endOf(part, running, atStart))
    })

    describe("everybody else is served while", () => {
      for (const [area, attacks] of Object.entries(areas)) describe(area, () => attacks(target))
    })

    describe("when all that is over", () => {
      it("the service answers as before", async () => {
        const { status } = await call(running.port, { path: `/api/threads/${running.thread}` })
        assert.strictEqual(status, 200)
      })

      it("its metrics say how hard-pressed it is", async () => {
        const answer = await fetch(`http://127.0.0.1:${running.port}/metrics`)
        const text = await answer.text()
        for (const name of ["event_loop_delay_seconds", "event_loop_utilization_ratio", "heap_used_ratio"]) {
          assert.match(text, new RegExp(`^forum_${name}\\b.* [\\d.e-]+$`, "m"))
        }
      })

      it("99 of 100 reads were answered in half a second", () => holdReads(part, running))
    })
  })
}

afterAll(async () => {
  for (const { quiet, stop } of endings.values()) {
    // What is looked into does not stop.
    await quiet.catch(() => undefined)
    await stop()
  }
})

describe("in the end", () => {
  for (const part of Object.keys(parts)) {
    it(`what the service keeps in memory is what it was, within 60 MB, and it stops: ${part}`, async () => {
      const ending = endings.get(part)
      await ending?.quiet
      assert.strictEqual(await ending?.stop(), 0)
    })
  }
})
