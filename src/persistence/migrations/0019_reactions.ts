import { migration } from "../shared/migration.ts"

export default migration([
  // A page shows all reactions of its posts.
  `alter table posts add constraint posts_react_count_max check (react_count <= 200)`,
  // The longest emoji has ten characters.
  `alter table reacts add constraint reacts_emoji check (char_length(emoji) between 1 and 16)`,

  // Who likes a post, oldest first, and what an account likes, newest first.
  `create index likes_of_post on likes (post_id, created_at, id)`,
  `create index likes_of_account on likes (account_id, created_at desc, id desc) include (post_id)`,
  `drop index likes_account_id`,

  // Whoever takes a like back and likes again has been told of already.
  `create unique index notifications_post_like on notifications (item_id, account_id, source_id)
    where event = 'post_like'`
])
