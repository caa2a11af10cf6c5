/** Why something of another program is not taken over as it was. The report names these. */
export const rules = {
  address_taken: "Another account has the email address: one that was confirmed, or is older",
  archetype_unknown: "A topic of a kind that Discourse itself does not have",
  bookmark: "Bookmarks are left out: they were for one person alone",
  category_missing: "Its category is not there, so it is in none",
  category_restricted:
    "Not everybody could read its category: left out, unless --with-restricted takes it over",
  closed: "A closed thread: here it is open",
  duplicate_id: "Another one before it has the id, and counts",
  event_left_out: "An event within a text is left out",
  file_is_link: "A link in place of a file is left out",
  file_missing: "The bytes are nowhere",
  first_post_missing: "Its first post is not there: the next one stands in its place",
  flag: "What was flagged is left out",
  group_hidden: "A group that not everybody could see is left out",
  handle_changed: "The name is none that an account may have here, or is taken",
  handle_lower_case: "Handles have lower case letters",
  hidden: "It was hidden, and waits for staff here",
  parent_missing: "Its parent is not there, so it is at the top",
  password_form_unknown: "The hash of the password cannot be checked: the owner sets a new one",
  permalink_leads_nowhere: "An address that leads to something that is not here",
  poll_left_out: "A poll within a text is left out",
  post_type_unknown: "A post of a kind that Discourse itself does not have",
  private_message: "A private message is left out",
  reply_target_missing: "What it replies to is not there, or comes later",
  row_too_long: "It is longer than 16 MiB",
  silenced: "Whoever is silenced may write here",
  small_action: "What the program itself noted in a thread is left out",
  text_too_long: "The text is too long for Markdown and has no markup",
  topic_missing: "Its topic is not there",
  topic_without_posts: "A topic without posts is left out",
  whisper: "Whispers are left out: they were for staff alone"
} as const

export type Rule = keyof typeof rules
