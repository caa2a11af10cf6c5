import { describe, expect, it } from "vitest"
import { traitsOf } from "../../../src/persistence/account/AccountTraits.ts"

const any = { suspended: undefined, admin: undefined, kind: undefined, authServices: [] }

describe("traitsOf", () => {
  it.each([
    [{}, undefined],
    [{ suspended: true }, { mask: 1, value: 1, some: undefined }],
    [{ suspended: false }, { mask: 1, value: 0, some: undefined }],
    [
      { admin: true, suspended: false },
      { mask: 3, value: 2, some: undefined }
    ],
    [{ kind: "bot" }, { mask: 4, value: 4, some: undefined }],
    [
      { kind: "human", admin: false },
      { mask: 6, value: 0, some: undefined }
    ],
    [{ authServices: ["password"] }, { mask: 0, value: 0, some: 8 }],
    [{ authServices: ["access_key", "password", "password", "x"] }, { mask: 0, value: 0, some: 40 }],
    // Nothing has what there is not.
    [{ authServices: ["webauthn"] }, { mask: 0, value: 0, some: 64 }],
    [{ authServices: ["oauth_google", "constructor"] }, { mask: 0, value: 0, some: 0 }]
  ] as const)("of %j", (asked, traits) => {
    expect(traitsOf({ ...any, ...asked })).toEqual(traits)
  })
})
