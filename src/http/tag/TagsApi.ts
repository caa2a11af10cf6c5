import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Text from "../../domain/field/Text.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { Tag, TagListResult, TagNotFound, TagSearchText } from "../../domain/tag/TagDetail.ts"
import { SearchTookTooLong } from "../../domain/text/TextProblem.ts"
import { anyone, everyone } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"

export class TagsApi extends HttpApiGroup.make("tags")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: { q: Schema.optionalKey(TagSearchText), ...pagedQuery },
      success: TagListResult,
      error: [SearchTookTooLong, CursorMismatch]
    }).pipe(
      operation({
        id: "TagList",
        cost: "quick",
        heavyWith: "q",
        summary: "List the tags",
        description: "Those of most published content first, then by name; 50 on a page.",
        access: everyone,
        tools: [{ name: "tag_list" }]
      })
    ),
    HttpApiEndpoint.get("get", "/:tag_name", {
      params: {
        tag_name: Text.mark({ description: "The name of the tag, or any text whose slug it is" })
      },
      success: Tag,
      error: TagNotFound
    }).pipe(
      operation({
        id: "TagGet",
        cost: "quick",
        summary: "Read a tag and what carries it",
        description: "Tags stay when nothing carries them any more.",
        access: anyone
      })
    )
  )
  .prefix("/tags")
  .annotateMerge(OpenApi.annotations({ title: "tags", description: "What content is about" })) {}
