import { describe, expect, it } from "vitest"
import { passwordHashForm, passwordHashMax } from "../../../src/domain/authentication/PasswordHashForms.ts"

const bcrypt = "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
const pbkdf2 = (head: string, salt = "c2FsdA", key = "S0AHkBt2VImr7kmtSdkm9yHQZac") =>
  `$pbkdf2-${head}$${salt}$${key}`
const bytes = (length: number) => Buffer.alloc(length, 7).toString("base64").replace(/=+$/, "")

describe("the form of a password hash", () => {
  it.each([
    [
      "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$kQ1mUZ6cZ6m5Yy0Yk3XG0dGf2Yw1uYH0hQ1bH1x2abc",
      "Argon2id"
    ],
    [bcrypt, "Bcrypt"],
    [bcrypt.replace("$2b$12", "$2a$04"), "Bcrypt"],
    [bcrypt.replace("$2b$12", "$2y$14"), "Bcrypt"],
    [`$sha512${bcrypt}`, "Bcrypt"],
    [pbkdf2("sha1$i=4096"), "Pbkdf2"],
    [pbkdf2("sha256$i=64000,l=32", "c2FsdA", bytes(32)), "Pbkdf2"],
    [pbkdf2("sha512$i=2000000", bytes(64), bytes(64)), "Pbkdf2"],
    [pbkdf2("sha256$i=1000000", bytes(1), bytes(64)), "Pbkdf2"]
  ])("is known of %s", (text, tag) => {
    expect(passwordHashForm(text)?._tag).toBe(tag)
  })

  it("says what bcrypt was given", () => {
    expect(passwordHashForm(bcrypt)).toEqual({ _tag: "Bcrypt", hash: bcrypt, of: "password" })
    expect(passwordHashForm(`$sha512${bcrypt}`)).toEqual({ _tag: "Bcrypt", hash: bcrypt, of: "sha512" })
  })

  it.each([
    "",
    "correct horse battery",
    "5f4dcc3b5aa765d61d8327deb882cf99",
    `${bcrypt}a`,
    bcrypt.slice(0, -1),
    bcrypt.replace("$2b$", "$2x$"),
    bcrypt.replace("$12$", "$03$"),
    // What would cost us too much.
    bcrypt.replace("$12$", "$15$"),
    bcrypt.replace("$12$", "$31$"),
    "$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$kQ1mUZ6cZ6m5Yy0Yk3XG0dGf2Yw1uYH0hQ1bH1x2abc",
    pbkdf2("sha512$i=2000001", bytes(64), bytes(64)),
    pbkdf2("sha256$i=1000001", bytes(64), bytes(64)),
    pbkdf2("sha256$i=0"),
    pbkdf2("md5$i=1000"),
    pbkdf2("sha256$i=1000,l=31", "c2FsdA", bytes(32)),
    pbkdf2("sha256$i=1000", "c2FsdA", bytes(15)),
    pbkdf2("sha256$i=1000", "c2FsdA", bytes(65)),
    pbkdf2("sha256$i=1000", "", bytes(32)),
    pbkdf2("sha256$i=1000", bytes(65), bytes(32)),
    pbkdf2("sha256$i=1000", "c2Fsd", bytes(32)),
    `${pbkdf2("sha256$i=1000", "c2FsdA", bytes(32))}${"A".repeat(passwordHashMax)}`
  ])("is none of %s", (text) => {
    expect(passwordHashForm(text)).toBeUndefined()
  })
})
