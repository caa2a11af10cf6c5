/** The instance itself, its files, and what things are put into or refer to. */
import { Schema } from "effect"
import {
  AnyObject,
  changed,
  created,
  FileHash,
  idOf,
  Many,
  maybe,
  Name,
  Prose,
  Slug,
  Text,
  Time
} from "./Fields.ts"

export const Setting = Schema.Struct({
  id: Schema.Literals(["general", "moderation"]),
  updated_at: Time,
  value: AnyObject.annotate({
    description: "What differs from the defaults, by the names that `GET /admin` has, with `moderation` apart"
  })
})

export const Asset = Schema.Struct({
  ...created,
  account_id: maybe(idOf("accounts")).annotateKey({
    description: "Who uploaded it; absent where the service made it itself"
  }),
  filename: Text(300, 1).annotate({
    description: "What its address ends with, `/api/assets/<filename>`: its id, or that with `-` and more"
  }),
  name: Name.annotate({ description: "What the file was called when it was uploaded" }),
  mime_type: Text(255, 1),
  size: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "In bytes" }),
  width: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
    description: "0 for what is no image"
  }),
  height: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  parent_id: maybe(idOf("assets")),
  sha256: maybe(FileHash)
})

export const InstanceImage = Schema.Struct({
  id: Schema.Literals(["icon", "banner"]),
  images: Many(Schema.Struct({ size: Text(100, 1), sha256: maybe(FileHash) })).annotate({
    description: "The image in each size that it is shown in"
  })
})

export const Theme = Schema.Struct({
  id: Schema.Literal("active"),
  set_at: Time,
  set_by: maybe(idOf("accounts")),
  stylesheets: Many(idOf("assets")),
  scripts: Many(idOf("assets"))
})

export const Link = Schema.Struct({
  ...changed,
  url: Text(2048, 1).annotate({ description: "As WHATWG serialises it, without a fragment; unique" }),
  slug: Slug,
  title: Text(255),
  description: Text(1000),
  described_by: maybe(idOf("accounts")).annotateKey({ description: "Who wrote title and description" }),
  favicon_id: maybe(idOf("assets")),
  primary_image_id: maybe(idOf("assets")),
  is_added: Schema.Boolean.annotate({
    description: "Whether somebody added it by itself. Others are there because something links to them."
  })
})

export const Category = Schema.Struct({
  ...changed,
  name: Name,
  slug: Slug,
  description: Prose,
  colour: Text(255),
  sort: Schema.Int.annotate({ description: "Categories of one parent are in the order of these numbers" }),
  parent_id: maybe(idOf("categories")),
  meta: AnyObject,
  cover_image_id: maybe(idOf("assets"))
})

/** Written by what turns other programs' data into an export, not by an export of this one. */
export const Redirect = Schema.Struct({
  from: Text(2048, 1).annotate({
    description: "A path of the old address, with its query if it needs one: `/t/hello-world/12`"
  }),
  kind: Text(100, 1),
  id: Text(100, 1)
})

/** Written by what turns other programs' data into an export: what is not in it. */
export const LeftOut = Schema.Struct({
  kind: Text(100, 1).annotate({ description: "What the other program calls it" }),
  id: Text(255).annotate({ description: "What the other program knows it by" }),
  reason: Text(1000, 1)
})
