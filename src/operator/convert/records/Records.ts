/** The records of a program whose data are prepared in the tables that converters of dumps share. */
import type { Converted } from "../shared/Conversion.ts"
import { redirects } from "../shared/Redirects.ts"
import type { Scratch } from "../shared/Scratch.ts"
import type { Texts } from "../shared/Texts.ts"
import { likes, replies, threads } from "./Discussion.ts"
import { accounts, roles } from "./People.ts"
import { assets, categories, tags } from "./Places.ts"

/** All kinds but the passwords, whose forms each program has for itself. */
export const preparedRecords = (scratch: Scratch, texts: Texts) =>
  ({
    roles: () => roles(scratch),
    tags: () => tags(scratch),
    accounts: () => accounts(scratch, texts),
    assets: () => assets(scratch),
    categories: () => categories(scratch),
    threads: () => threads(scratch, texts),
    replies: () => replies(scratch, texts),
    likes: () => likes(scratch),
    redirects: () => redirects(scratch)
  }) satisfies Converted["records"]
