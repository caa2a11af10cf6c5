/** Who there is: roles, accounts, and what they are to each other. */
import { Schema } from "effect"
import {
  AnyObject,
  changed,
  created,
  Id,
  idOf,
  laterIdOf,
  Many,
  Markup,
  maybe,
  Name,
  Text,
  Time
} from "./Fields.ts"

export const Role = Schema.Struct({
  ...changed,
  name: Name,
  colour: Text(255),
  permissions: Many(Text(100, 1)),
  meta: AnyObject,
  rank: Schema.Int.annotate({ description: "The higher, the more it counts; unique" }),
  built_in: Schema.Boolean.annotate({
    description: "One of the three that every instance has: Admin, Member and Guest"
  })
})

export const Tag = Schema.Struct({ ...created, name: Name })

/** An address that an account is reached at, or signs in with. */
const Email = Schema.Struct({
  ...created,
  address: Text(254, 3),
  verified: Schema.Boolean
})

const Phone = Schema.Struct({
  ...created,
  number: Schema.String.check(
    Schema.isPattern(/^\+[1-9][0-9]{6,14}$/u, { expected: "a number as E.164 has it" })
  )
})

const Identity = Schema.Struct({
  ...created,
  service: Text(100, 1),
  issuer: Text(2000, 1).annotate({ description: "Who answers for the service" }),
  subject: Name.annotate({ description: "What the issuer calls the person" }),
  name: Name.annotate({ description: "What the person was called there" })
})

const onlyWithAddresses = "Only in an export with addresses"

export const Account = Schema.Struct({
  ...changed,
  suspended_at: maybe(Time),
  kind: Schema.Literals(["human", "bot"]),
  admin: Schema.Boolean.annotate({ description: "Whether it holds the role Admin" }),
  founder: Schema.Boolean.annotate({ description: "Whether it founded the instance; one does at most" }),
  handle: Text(30, 1),
  name: Name,
  bio: Markup,
  signature: maybe(Markup),
  links: Many(Schema.Struct({ text: Text(255), url: Text(2048) })),
  meta: AnyObject,
  verified_status: Schema.Literals(["none", "verified_email", "manual"]),
  invited_by: maybe(laterIdOf("accounts")),
  avatar_id: maybe(laterIdOf("assets")),
  roles: Many(
    Schema.Struct({
      id: idOf("roles"),
      badge: Schema.Boolean.annotate({ description: "Whether it is shown with the name; one is at most" })
    })
  ).annotate({ description: "Those that were given to it, built-in ones aside" }),
  interests: Many(idOf("tags")),
  emails: maybe(Many(Email)).annotateKey({ description: onlyWithAddresses }),
  signs_in_by_email_since: maybe(Time).annotateKey({
    description: `Since when codes that are mailed let it sign in. ${onlyWithAddresses}`
  }),
  phone: maybe(Phone).annotateKey({ description: onlyWithAddresses }),
  identities: maybe(Many(Identity)).annotateKey({
    description: `What it is known as at services that it signs in with. ${onlyWithAddresses}`
  })
})

export const Follow = Schema.Struct({
  ...created,
  follower_id: idOf("accounts"),
  followed_id: idOf("accounts")
})

/** Is read only: no export has any. */
export const Password = Schema.Struct({
  account_id: idOf("accounts"),
  created_at: maybe(Time),
  hash: Text(1024, 1).annotate({
    description:
      "As PHC writes hashes of Argon2id, bcrypt or PBKDF2: `$argon2id$…`, `$2b$…`, `$pbkdf2-sha256$…`"
  })
})

export const Warning = Schema.Struct({
  id: Id,
  account_id: idOf("accounts"),
  issuer_id: maybe(idOf("accounts")),
  issued_at: Time,
  reason: Text(10_000)
})

export const Note = Schema.Struct({
  ...created,
  account_id: idOf("accounts").annotate({ description: "Whom it is about" }),
  author_id: maybe(idOf("accounts")),
  content: Text(100_000)
})
