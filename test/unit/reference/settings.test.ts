/** What docs/operating.md says of settings is what the program does: their defaults and their ranges. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { describedSettings } from "../../../tools/reference/OperatingPage.ts"
import { declared, settingsOf } from "../../../tools/reference/SettingsPage.ts"

/** What else has to be set for some settings to count. */
const beside = {
  S3_ENDPOINT: "https://store.example",
  S3_BUCKET: "files",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
  BACKUP_DIR: "/var/backups/forum"
}

/** Defaults that no value stands for, and one that whoever shows it has. */
const inWords = ["all interfaces", "from the key", "none", "those to read"]
const elsewhere = ["OAUTH_OIDC_NAME"]

/** A default as the value that somebody would set. */
const valueOf = (usual: string): string =>
  usual
    .replace(/`(?:PUBLIC_URL|WEB_URL)`(?: \+ )?/g, "http://localhost:8000")
    .replaceAll("`", "")
    .replace("PORT", "8000")

describe("the settings in docs/operating.md", () => {
  const usual = describedSettings().filter(
    (setting) => !inWords.includes(setting.usual) && !elsewhere.includes(setting.name)
  )

  it.effect.each(usual)("$name has the default $usual", ({ name, usual }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* settingsOf({ ...beside, [name]: valueOf(usual) }),
        yield* settingsOf(beside)
      )
    })
  )

  it("have a default that is a value, or one of a few words", () => {
    assert.isAbove(usual.length, 35)
    for (const { usual: text } of usual) assert.match(text, /^`[^`]+`(?:, `[^`]+`| \+ `[^`]+`)?$/)
  })

  it.effect("have the ranges that are declared", () =>
    Effect.gen(function* () {
      const forms = yield* declared
      const told = describedSettings().flatMap(({ meaning, name }) => {
        const [, from, to] = /\b`?(\d+[smh]?)`? to `?(\d+[smh]?)`?/.exec(meaning) ?? []
        return from === undefined || to === undefined ? [] : [{ name, range: `from ${from} to ${to}` }]
      })
      assert.isAbove(told.length, 20)
      for (const { name, range } of told) {
        const form = forms.get(name)?.form ?? ""
        if (/ from \w+ to /.test(form)) assert.include(form, range, name)
      }
    })
  )

  it.effect("say of each number how much it may be", () =>
    Effect.gen(function* () {
      const forms = yield* declared
      const silent = describedSettings().filter(
        ({ meaning, name }) =>
          / from \w+ to /.test(forms.get(name)?.form ?? "") &&
          !/\d+[smh]?`? to `?\d|up to \d|takes any/.test(meaning)
      )
      assert.deepStrictEqual(
        silent.map(({ name }) => name),
        []
      )
    })
  )
})
