import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Redacted } from "effect"
import { accessResult } from "../../../src/domain/plugin/AccessResult.ts"
import { botHandle, botRoleName, permissionsNamed } from "../../../src/domain/plugin/BotRules.ts"
import { mismatchedFields } from "../../../src/domain/plugin/ConfigurationRules.ts"
import { isHeldElsewhere, leaseFor, leaseFrom } from "../../../src/domain/plugin/LeaseRules.ts"
import { decideAfterCrash, usualPolicy } from "../../../src/domain/plugin/SupervisionRules.ts"

describe("a process that crashed", () => {
  const seconds = Duration.seconds
  const cases = [
    ["at its start", 0, 0, { _tag: "Restart", after: seconds(1), restarts: 1 }],
    ["again", 1, 2, { _tag: "Restart", after: seconds(2), restarts: 2 }],
    ["a third time", 2, 29, { _tag: "Restart", after: seconds(4), restarts: 3 }],
    ["as often as it may", 3, 29, { _tag: "GiveUp" }],
    ["after it has run for some time", 3, 30, { _tag: "Restart", after: seconds(5), restarts: 0 }],
    ["after it has run for long", 0, 3600, { _tag: "Restart", after: seconds(5), restarts: 0 }]
  ] as const
  for (const [when, restarts, uptime, next] of cases) {
    it(`is started again or not, ${when}`, () => {
      assert.deepStrictEqual(decideAfterCrash(usualPolicy, restarts, seconds(uptime)), next)
    })
  }

  it("waits no longer than the operator says", () => {
    const next = decideAfterCrash({ ...usualPolicy, restartsMax: 50 }, 40, Duration.zero)
    assert.deepStrictEqual(next, { _tag: "Restart", after: seconds(60), restarts: 41 })
  })
})

describe("a plugin that another instance has", () => {
  const now = DateTime.makeUnsafe("2026-11-26T09:00:00Z")
  const lease = leaseFrom("other", now)

  it("is held until its lease is over", () => {
    assert.isTrue(isHeldElsewhere(lease, "this", now))
    assert.isFalse(isHeldElsewhere(lease, "other", now))
    assert.isFalse(isHeldElsewhere(undefined, "this", now))
    assert.isFalse(isHeldElsewhere(lease, "this", DateTime.addDuration(now, leaseFor)))
  })
})

describe("the bot of a plugin", () => {
  const id = "dc3v0u7khh6uivg0020g"
  const handles = [
    ["Tide Bot", "tide-bot-020g"],
    ["  ", "plugin-020g"],
    ["__--__", "plugin-020g"],
    ["Ünïcode", "n-code-020g"],
    ["a".repeat(60), `${"a".repeat(25)}-020g`],
    [`${"a".repeat(24)}-b`, `${"a".repeat(24)}-020g`],
    ["keeps_under-scores", "keeps_under-scores-020g"]
  ] as const
  for (const [asked, handle] of handles) {
    it(`has the handle ${handle} where it asks for "${asked}"`, () => {
      assert.strictEqual(botHandle(asked, id), handle)
    })
  }

  it("has a role that tells whose it is, with a name that is not too long", () => {
    assert.strictEqual(botRoleName("Tide", "tide-bot-020g"), "Tide (Bot 020g)")
    assert.strictEqual(botRoleName("x".repeat(200), "tide-bot-020g").length, 100)
  })

  it("has the permissions that there are, each once", () => {
    assert.deepStrictEqual(
      permissionsNamed(["CREATE_POST", "CREATE_POST"]),
      permissionsNamed(["CREATE_POST"])
    )
    assert.strictEqual(permissionsNamed(["CREATE_POST", "FLY"])._tag, "Failure")
  })
})

describe("a configuration", () => {
  const manifest = {
    id: "x",
    name: "x",
    author: "x",
    description: "",
    version: "1",
    command: "x",
    configuration_schema: {
      fields: [
        { id: "text", label: "", description: "", type: "string" },
        { id: "count", label: "", description: "", type: "number" },
        { id: "on", label: "", description: "", type: "boolean" }
      ]
    }
  } as const

  it("has values of the types that the manifest says, or none, and any others", () => {
    assert.deepStrictEqual(mismatchedFields(manifest, { text: "", count: 0, on: false, more: null }), [])
    assert.deepStrictEqual(mismatchedFields(manifest, {}), [])
    assert.deepStrictEqual(mismatchedFields(manifest, { text: null, count: "1", on: 1 }), [
      { id: "text", expected: "string" },
      { id: "count", expected: "number" },
      { id: "on", expected: "boolean" }
    ])
  })
})

describe("the address of the API", () => {
  const url = new URL("https://forum.example:8443")
  const key = Redacted.make("fbk_x")

  it("has the form that the library of the plugin reads", () => {
    assert.deepStrictEqual(accessResult(url, key, "node"), {
      api_base_url: "https://forum.example:8443",
      access_key: "fbk_x"
    })
    assert.deepStrictEqual(accessResult(url, key, "Python/3.13 websockets/15.0"), {
      apibase_url: "https://forum.example:8443",
      access_key: "fbk_x"
    })
    assert.deepInclude(accessResult(url, key, "Go-http-client/1.1"), {
      api_base_url: {
        Scheme: "https",
        Opaque: "",
        User: null,
        Host: "forum.example:8443",
        Path: "",
        RawPath: "",
        OmitHost: false,
        ForceQuery: false,
        RawQuery: "",
        Fragment: "",
        RawFragment: ""
      }
    })
  })
})
