import { describe, expect, it } from "vitest"
import { isSecretHash } from "../../../src/domain/authentication/SecretHash.ts"

const salt = "c29tZXNhbHRzb21lc2FsdA"
const key = "kQ1mUZ6cZ6m5Yy0Yk3XG0dGf2Yw1uYH0hQ1bH1x2abc"

const hash = (costs: string, salted = salt, derived = key) => `$argon2id$v=19$${costs}$${salted}$${derived}`

const usual = "m=19456,t=2,p=1"

describe("a hash of a client secret", () => {
  it.each([
    hash(usual),
    hash("m=65536,t=3,p=4"),
    hash("m=47104,t=1,p=1"),
    hash("m=8,t=1,p=1"),
    hash("m=32,t=10,p=4"),
    hash("m=65536,t=4,p=1"),
    hash("m=26214,t=10,p=1"),
    hash(usual, "c2FsdHNhbHQ"),
    hash(usual, "a".repeat(64)),
    hash(usual, salt, "a".repeat(22)),
    hash(usual, salt, "a".repeat(86))
  ])("may be %s", (text) => {
    expect(isSecretHash(text)).toBe(true)
  })

  it.each([
    // What would cost us too much.
    hash("m=4194304,t=1,p=1"),
    hash("m=65537,t=1,p=1"),
    hash("m=65536,t=5,p=1"),
    hash("m=26215,t=10,p=1"),
    hash("m=8,t=11,p=1"),
    hash("m=64,t=1,p=5"),
    hash("m=9999999999,t=9999999999,p=9999999999"),
    hash("m=99999999999999999999,t=1,p=1"),
    hash("m=1e3,t=1,p=1"),
    hash("m=Infinity,t=1,p=1"),
    // What is less than Argon2 is defined for.
    hash("m=7,t=1,p=1"),
    hash("m=31,t=1,p=4"),
    hash("m=0,t=1,p=1"),
    hash("m=8,t=0,p=1"),
    hash("m=8,t=1,p=0"),
    hash("m=-8,t=1,p=1"),
    // Another order, name, spelling or version.
    hash("t=2,m=19456,p=1"),
    hash("m=19456,t=2"),
    hash("m=019456,t=2,p=1"),
    hash("m=19456, t=2,p=1"),
    hash("m=19456,t=2,p=1,keyid=AAAA"),
    hash("m=19456,t=2,p=1,data=AAAA"),
    hash("m=19456,t=2,p=1\n"),
    hash(usual).replace("argon2id", "argon2i"),
    hash(usual).replace("argon2id", "argon2d"),
    hash(usual).replace("argon2id", "Argon2id"),
    hash(usual).replace("v=19", "v=16"),
    hash(usual).replace("$v=19", ""),
    hash(usual).slice(1),
    ` ${hash(usual)}`,
    `${hash(usual)}\n`,
    `${hash(usual)}$`,
    `${hash(usual)}=`,
    // Salts and keys of no such length, or in another alphabet.
    hash(usual, "c2FsdHNhbA"),
    hash(usual, ""),
    hash(usual, "a".repeat(13)),
    hash(usual, "a".repeat(66)),
    hash(usual, "c29tZXNhbHQ_-Q"),
    hash(usual, salt, ""),
    hash(usual, salt, "a".repeat(20)),
    hash(usual, salt, "a".repeat(25)),
    hash(usual, salt, "a".repeat(88)),
    hash(usual, salt, `${key}=`),
    // No hash at all.
    "",
    "secret",
    "$2b$12$abcdefghijklmnopqrstuuQ8Y5mJ8mQeT3v0xS0b0u1n1uG9l8aCe",
    "$argon2id$",
    "$argon2id$".repeat(1000)
  ])("is not %j", (text) => {
    expect(isSecretHash(text)).toBe(false)
  })
})
