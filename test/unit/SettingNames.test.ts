import { assert, describe, it } from "@effect/vitest"
import { nearSetting } from "../../src/layers/process/SettingNames.ts"

const settings = [
  "PORT",
  "HOST",
  "DATABASE_URL",
  "PUBLIC_URL",
  "WEB_URL",
  "LOG_LEVEL",
  "DATA_DIR",
  "SMTP_URL"
]

describe("a variable of the environment", () => {
  for (const [name, meant] of [
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["database_url", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["WEB_URI", "WEB_URL"],
    ["DATADIR", "DATA_DIR"],
    ["DATABASE_URL", undefined],
    ["POST", undefined],
    ["HOSTS", undefined],
    ["HOSTNAME", undefined],
    ["PATH", undefined],
    ["SHELL", undefined],
    ["LOGNAME", undefined],
    ["HTTP_URL", undefined],
    ["DATABASE_USER", undefined]
  ] as const) {
    it(`${name} ${meant === undefined ? "is none that is misspelled" : `is nearly ${meant}`}`, () => {
      assert.strictEqual(nearSetting(name, settings), meant)
    })
  }
})
