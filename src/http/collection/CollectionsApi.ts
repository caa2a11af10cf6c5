import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Collection,
  CollectionChanges,
  CollectionFull,
  CollectionListResult,
  CollectionNotFound,
  CollectionNotYours,
  CollectionWithItems,
  NewCollection,
  TooManyCollections,
  TooManySubmissions
} from "../../domain/collection/Collection.ts"
import * as Text from "../../domain/field/Text.ts"
import { NodeNotFound } from "../../domain/library/Node.ts"
import { Forbidden } from "../../domain/shared/Actor.ts"
import { Id } from "../../domain/shared/Id.ts"
import { CursorMismatch, pagedQuery } from "../../domain/shared/ListPlace.ts"
import { PostNotFound } from "../../domain/thread/Post.ts"
import { accounts, membersWith, readersWith } from "../contract/AccessPolicies.ts"
import { Done } from "../contract/Empty.ts"
import { operation } from "../contract/Operation.ts"

const params = {
  collection_mark: Text.mark({
    description:
      "The id or the slug of the collection. Of a slug with the id, only the id counts; without it, the oldest collection with that slug is meant."
  })
}

const postParams = {
  ...params,
  post_id: Text.mark({ description: "The id of a thread or of a reply" })
}

const nodeParams = {
  ...params,
  node_id: Text.mark({ description: "The id of a library page; slugs are not found" })
}

const additionRules =
  "Everybody else submits it, which needs COLLECTION_SUBMIT. A collection may have 500 items, and 100 submissions that await its owner, 20 of them by the same account."

const removalRules =
  "The owner of the collection may, and who holds MANAGE_COLLECTIONS; a submission, also who made it, until it is accepted."

export class CollectionsApi extends HttpApiGroup.make("collections")
  .add(
    HttpApiEndpoint.get("list", "/", {
      query: {
        account_handle: Schema.optionalKey(
          Text.term({ max: 255, description: "Only those of the account with this handle or id" })
        ),
        has_item: Schema.optionalKey(Id).annotateKey({
          description:
            "The id of a thread, reply or page. Each collection says in `has_queried_item` whether it contains it."
        }),
        ...pagedQuery
      },
      success: CollectionListResult,
      error: CursorMismatch
    }).pipe(
      operation({
        id: "CollectionList",
        cost: "quick",
        summary: "List collections",
        description: "Newest first; 50 on a page.",
        access: readersWith("LIST_COLLECTIONS")
      })
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: NewCollection,
      success: Collection,
      error: [TooManyCollections, CollectionNotFound]
    }).pipe(
      operation({
        id: "CollectionCreate",
        cost: "write",
        summary: "Create a collection",
        description: "An account may have 1,000.",
        access: membersWith("CREATE_COLLECTION")
      })
    ),
    HttpApiEndpoint.get("get", "/:collection_mark", {
      params,
      success: CollectionWithItems,
      error: CollectionNotFound
    }).pipe(
      operation({
        id: "CollectionGet",
        cost: "long",
        summary: "Read a collection and its items",
        description:
          "Its owner and administrators see all items. Others see those that everyone may read, without submissions that await the owner, and of the rest what they made or submitted themselves. What is deleted is left out, as are posts and pages for those who may read none.",
        access: readersWith("READ_COLLECTION")
      })
    ),
    HttpApiEndpoint.patch("update", "/:collection_mark", {
      params,
      payload: CollectionChanges,
      success: Collection,
      error: [CollectionNotFound, CollectionNotYours]
    }).pipe(
      operation({
        id: "CollectionUpdate",
        cost: "write",
        summary: "Change a collection",
        description: "Its owner may, and who holds MANAGE_COLLECTIONS.",
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("delete", "/:collection_mark", {
      params,
      success: Done,
      error: [CollectionNotFound, CollectionNotYours]
    }).pipe(
      operation({
        id: "CollectionDelete",
        cost: "write",
        summary: "Delete a collection",
        description: "Its owner may, and who holds MANAGE_COLLECTIONS. What is in it stays where it is.",
        access: accounts
      })
    ),
    HttpApiEndpoint.put("addPost", "/:collection_mark/posts/:post_id", {
      params: postParams,
      success: CollectionWithItems,
      error: [CollectionNotFound, PostNotFound, Forbidden, CollectionFull, TooManySubmissions]
    }).pipe(
      operation({
        id: "CollectionAddPost",
        cost: "write",
        summary: "Add a post to a collection",
        description: `Its owner adds the post, or accepts it if it was submitted. ${additionRules} Adding a post again changes nothing.`,
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("removePost", "/:collection_mark/posts/:post_id", {
      params: postParams,
      success: CollectionWithItems,
      error: [CollectionNotFound, PostNotFound, CollectionNotYours]
    }).pipe(
      operation({
        id: "CollectionRemovePost",
        cost: "write",
        summary: "Remove a post from a collection",
        description: `${removalRules} Removing a post that is not in it changes nothing.`,
        access: accounts
      })
    ),
    HttpApiEndpoint.put("addNode", "/:collection_mark/nodes/:node_id", {
      params: nodeParams,
      success: CollectionWithItems,
      error: [CollectionNotFound, NodeNotFound, Forbidden, CollectionFull, TooManySubmissions]
    }).pipe(
      operation({
        id: "CollectionAddNode",
        cost: "write",
        summary: "Add a library page to a collection",
        description: `Its owner adds the page, or accepts it if it was submitted. ${additionRules} Adding a page again changes nothing.`,
        access: accounts
      })
    ),
    HttpApiEndpoint.delete("removeNode", "/:collection_mark/nodes/:node_id", {
      params: nodeParams,
      success: CollectionWithItems,
      error: [CollectionNotFound, NodeNotFound, CollectionNotYours]
    }).pipe(
      operation({
        id: "CollectionRemoveNode",
        cost: "write",
        summary: "Remove a library page from a collection",
        description: `${removalRules} Removing a page that is not in it changes nothing.`,
        access: accounts
      })
    )
  )
  .prefix("/collections")
  .annotateMerge(
    OpenApi.annotations({
      title: "collections",
      description: "Posts and library pages that accounts put together"
    })
  ) {}
