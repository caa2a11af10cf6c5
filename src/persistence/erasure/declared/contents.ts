/** What people made, and what follows from it. */
import { type Fates, of } from "../Fate.ts"

export const ofContents = {
  // Those that nothing shows any more go with their bytes; the others are of nobody.
  assets: { special: of("id account_id filename original_name parent_id"), word: of("mime_type store") },
  asset_uploads: { id: of("id"), word: of("store") },
  author_totals: { row: of("author_id"), id: of("category_id") },
  calendar_events: {
    content: of("name slug description location meta search"),
    id: of("id thread_id primary_image_id"),
    word: of("policy visibility")
  },
  calendar_participants: { special: of("account_id"), id: of("event_id"), word: of("role status") },
  categories: {
    instance: of("name slug description colour meta"),
    id: of("id parent_id cover_image_asset_id")
  },
  collection_items: {
    none: of("added_by"),
    withRow: of("owner_id"),
    id: of("id collection_id post_id thread_id node_id"),
    word: of("membership_type")
  },
  collection_owners: { row: of("account_id") },
  collections: { row: of("owner_id"), withRow: of("name slug description"), id: of("id") },
  likes: { row: of("account_id"), id: of("id post_id thread_id") },
  link_changes: { id: of("link_id") },
  link_fetches: { common: of("host reason"), id: of("link_id") },
  links: {
    none: of("described_by"),
    common: of("url slug domain title description search_text"),
    id: of("id favicon_id primary_image_id")
  },
  node_assets: { id: of("node_id asset_id") },
  node_draft_counts: { row: of("account_id") },
  node_heights: { id: of("node_id") },
  node_links: { id: of("node_id link_id") },
  node_tags: { id: of("node_id tag_id") },
  node_versions: {
    // After the drafts, which go.
    nobody: of("author_id"),
    content: of("name slug description content properties meta excerpt links known_fields"),
    id: of("id node_id"),
    word: of("status")
  },
  nodes: {
    nobody: of("owner_id"),
    content: of("name slug description content meta name_form"),
    id: of("id parent_id link_id primary_image_id current_version_id tag_ids position"),
    word: of("visibility")
  },
  post_links: { id: of("post_id link_id") },
  post_mentions: { row: of("account_id"), id: of("post_id thread_id") },
  posts: {
    nobody: of("author_id"),
    content: of("title slug body description meta"),
    id: of("id thread_id reply_to_id"),
    word: of("visibility")
  },
  property_fields: { content: of("name"), id: of("fid parent_id node_id sort"), word: of("type") },
  property_values: { content: of("value as_text search"), id: of("node_id fid") },
  reacts: { row: of("account_id"), id: of("id post_id"), word: of("emoji") },
  read_marks: { row: of("account_id"), id: of("thread_id") },
  reports: {
    // What is reported may be an account.
    row: of("target_id"),
    none: of("reported_by handled_by"),
    content: of("comment"),
    id: of("id"),
    word: of("target_kind status")
  },
  search_texts: {
    nobody: of("author_id"),
    content: of("title slug beginnings body"),
    id: of("id thread_id"),
    word: of("kind visibility")
  },
  search_words: { content: of("word"), id: of("item_id"), word: of("kind") },
  tags: { common: of("name"), id: of("id") },
  thread_moves: { id: of("thread_id") },
  thread_participants: { row: of("account_id"), id: of("thread_id") },
  thread_references: { special: of("people"), id: of("thread_id links") },
  thread_tags: { id: of("thread_id tag_id") },
  threads: { nobody: of("author_id"), id: of("id category_id link_id tag_ids"), word: of("visibility") },
  upload_totals: { row: of("name"), word: of("sum") }
} as const satisfies Fates
