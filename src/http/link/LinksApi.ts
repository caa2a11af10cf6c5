import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Link } from "../../domain/backlink/LinkDetail.ts"
import * as Text from "../../domain/field/Text.ts"
import { LinkInvalid, LinkListResult, LinkNotFound, LinkReference, NewLink } from "../../domain/link/Link.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { accounts, membersWith, readersWith } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class LinksApi extends HttpApiGroup.make("links")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        q: Schema.optionalKey(
          Text.term({
            max: 500,
            description:
              "Text that the address, the title or the description contains. Letter case, accents and compatibility characters do not matter."
          })
        ),
        ...pagedQuery
      },
      success: LinkListResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "LinkList",
        cost: "quick",
        heavyWith: "q",
        summary: "List links",
        description:
          "The web pages that were added or that published content links to, and those that other content links to which the caller may read; newest first, 50 on a page.",
        access: readersWith("READ_PUBLISHED_LIBRARY")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewLink,
      success: LinkReference,
      error: LinkInvalid
    }).pipe(
      operation({
        id: "LinkCreate",
        cost: "write",
        summary: "Add a link",
        description:
          "Answers with the link that has this address, which is a new one if the caller saw none; everyone sees it from then on. Of a new link without a `title`, the page is read for up to three seconds; if that does not suffice, or many requests wait for pages, it is read later. Pages are read from the public internet only. A `title` or `description` that is given replaces what the caller gave before, and nothing else: what the page says, or another account gave, is replaced for callers with MANAGE_LIBRARY only.",
        access: accounts,
        tools: [{ name: "link_create", isIdempotent: true, isOpenWorld: true }]
      })
    ),
    HttpApiEndpoint.get("get", "/:link_slug", {
      params: { link_slug: Text.mark({ description: "The slug of the link; letter case does not matter" }) },
      success: Link,
      error: LinkNotFound
    }).pipe(
      operation({
        id: "LinkGet",
        cost: "quick",
        summary: "Read a link",
        description:
          "With the published threads and library pages that are about it. Drafts are not shown, not even to their authors. A link that stands only in what the caller may not read is not found.",
        access: membersWith("READ_PUBLISHED_LIBRARY")
      })
    )
  )
  .prefix("/links")
  .annotateMerge(OpenApi.annotations({ title: "links", description: "Web pages that content links to" })) {}
