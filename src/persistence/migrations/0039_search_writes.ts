import { migration } from "../shared/migration.ts"

// To check that the thread of a text exists was a third of what storing the text costs, for each reply that anyone
// writes. The texts of posts are written by the statements that write the posts, whose own key says the same.
export default migration([
  `alter table search_texts drop constraint search_texts_thread_id_fkey`,
  `create function forget_post_in_search() returns trigger language plpgsql as $$
    begin
      delete from search_texts where id = old.id;
      return null;
    end $$`,
  `create trigger posts_search_deleted after delete on posts for each row execute function forget_post_in_search()`
])
