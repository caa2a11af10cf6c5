/** What becomes of people: their accounts, what these may do, and what they are to each other. */

import { Result, Schema } from "effect"
import { profileMarkupMax } from "../../../domain/account/Account.ts"
import { formsOf } from "../../../domain/account/AccountText.ts"
import { toEmailAddress } from "../../../domain/account/Email.ts"
import { brokenHandleRule, handleKey, normaliseHandle } from "../../../domain/account/Handle.ts"
import { servicesElsewhere } from "../../../domain/authentication/AuthProvider.ts"
import { passwordHashForm } from "../../../domain/authentication/PasswordHashForms.ts"
import { Account, Follow, Password, Role, Tag } from "../../../domain/exchange/People.ts"
import { isColour } from "../../../domain/field/Colour.ts"
import { toLine } from "../../../domain/field/Text.ts"
import { WebAddress } from "../../../domain/field/WebAddress.ts"
import { Permission } from "../../../domain/shared/Permission.ts"
import { slugify, slugWithin } from "../../../domain/shared/Slug.ts"
import { type Kind, kindOf } from "./Kind.ts"
import { readMarkup } from "./Markup.ts"
import { cut, type Json, type Notes } from "./Repair.ts"

const handleBytesMax = 30

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** The beginning of a handle with so many bytes at most. */
export const handleWithin = (handle: string, bytes: number): string => {
  let characters = Array.from(handle)
  while (bytesOf(characters.join("")) > bytes) characters = characters.slice(0, -1)
  return slugify(characters.join(""))
}

/** A handle that may be used, made of one that another program let people have. */
export const handleOf = (given: unknown, id: unknown): string => {
  const text = normaliseHandle(typeof given === "string" ? given : "")
  if (brokenHandleRule(text) === undefined) return text
  const handle = handleWithin(slugify(text), handleBytesMax)
  if (brokenHandleRule(handle) === undefined) return handle
  const with1 = handleWithin(handle, handleBytesMax - 2)
  return with1 === "" ? `account-${String(id).slice(-8)}` : `${with1}-1`
}

const repairHandle = (record: Json, notes: Notes): Json => {
  const handle = handleOf(record.handle, record.id)
  if (handle === record.handle) return record
  notes.repaired("handle_changed", "handle", cut(String(record.handle), 100))
  return { ...record, handle, name: record.name ?? record.handle }
}

/** An account has a name of which something can be seen. */
const repairName = (record: Json, notes: Notes): Json => {
  const given = typeof record.name === "string" ? record.name : ""
  if (given !== "" && toLine(given) !== "") return record
  if (given !== "") notes.repaired("name_changed", "name")
  return { ...record, name: record.handle }
}

const isPermission = Schema.is(Permission)

const isWebAddress = Schema.is(WebAddress)

/** Services that people sign in with. */
const services: ReadonlySet<string> = new Set(servicesElsewhere)

const accountOf = (account: typeof Account.Type, notes: Notes) => {
  const { handleForm = "", nameForm = "" } = formsOf(account)
  return {
    handle_key: handleKey(account.handle),
    name_form: nameForm,
    handle_form: handleForm,
    links: account.links.filter(({ url }) => {
      if (isWebAddress(url)) return true
      notes.repaired("invalid", "links", cut(url, 100))
      return false
    }),
    bio: readMarkup(account.bio, profileMarkupMax.bio, "bio", notes).document,
    signature:
      account.signature === undefined
        ? undefined
        : readMarkup(account.signature, profileMarkupMax.signature, "signature", notes).document,
    emails: account.emails?.flatMap((email) => {
      const address = toEmailAddress(email.address)
      if (address === undefined) notes.repaired("invalid", "emails", email.address)
      return address === undefined ? [] : [{ ...email, address }]
    }),
    identities: account.identities?.filter(({ service }) => {
      if (services.has(service)) return true
      notes.repaired("invalid", "identities", cut(service, 100))
      return false
    })
  }
}

export const accounts = kindOf({
  record: Account,
  columns: `id created_at:timestamptz updated_at:timestamptz suspended_at:timestamptz kind admin:boolean founder:boolean handle
    name bio signature links:jsonb meta:jsonb verified_status invited_by avatar_id roles:jsonb interests:jsonb emails:jsonb
    signs_in_by_email_since:timestamptz phone:jsonb identities:jsonb handle_key name_form handle_form`,
  repairs: {
    lengths: { name: 255 },
    counts: { roles: 32, emails: 20, identities: 20 },
    oneLine: ["name"],
    defaults: {
      kind: "human",
      admin: false,
      founder: false,
      bio: "",
      links: [],
      meta: {},
      verified_status: "none",
      roles: [],
      interests: []
    }
  },
  before: (record, notes) => repairName(repairHandle(record, notes), notes),
  derive: accountOf
})

export const roles = kindOf({
  record: Role,
  columns: `id created_at:timestamptz updated_at:timestamptz name colour permissions:jsonb meta:jsonb rank:int built_in:boolean`,
  repairs: {
    lengths: { name: 100, colour: 255 },
    oneLine: ["name"],
    defaults: { colour: "", permissions: [], meta: {}, rank: 1, built_in: false }
  },
  derive: ({ colour, permissions }, notes) => {
    const known = permissions.filter(isPermission)
    if (known.length < permissions.length) notes.repaired("invalid", "permissions")
    if (colour === "" || isColour(colour)) return { permissions: known }
    notes.repaired("invalid", "colour")
    return { permissions: known, colour: "" }
  }
})

const tagNameMax = 30

export const tags = kindOf({
  record: Tag,
  columns: "id created_at:timestamptz name",
  before: (record, notes) => {
    if (typeof record.name !== "string") return record
    const name = slugWithin(record.name, tagNameMax)
    if (name !== record.name) notes.repaired("name_changed", "name", cut(record.name, 100))
    return { ...record, name }
  }
})

export const follows = kindOf({
  record: Follow,
  columns: "id created_at:timestamptz follower_id followed_id"
})

const known = kindOf({ record: Password, columns: "account_id created_at:timestamptz hash" })

export const passwords: Kind = {
  ...known,
  read: (record, notes) =>
    Result.flatMap(known.read(record, notes), (row) =>
      passwordHashForm(String(row.hash)) === undefined
        ? Result.fail("no hash of Argon2id, bcrypt or PBKDF2 whose cost is within bounds")
        : Result.succeed(row)
    )
}
