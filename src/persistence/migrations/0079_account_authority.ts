import { migration } from "../shared/migration.ts"

export default migration([
  // Where either is taken, an id goes first: an account whose handle is the id of another would be out of reach, and
  // what is done to it would be done to the other.
  `create function check_handle_is_no_other_id() returns trigger language plpgsql as $$
    begin
      if exists (select from accounts where id = new.handle and id <> new.id)
          or exists (select from accounts where handle = new.id and id <> new.id) then
        raise unique_violation using constraint = 'accounts_handle_is_no_other_id';
      end if;
      return new;
    end $$`,
  `create trigger accounts_handle_is_no_other_id before insert or update of handle on accounts
    for each row execute function check_handle_is_no_other_id()`,

  // Staff get tokens for accounts that may do no more than they: an account that may do more now has none.
  `create function end_staff_resets_of_account() returns trigger language plpgsql as $$
    begin
      delete from password_resets where account_id = new.account_id and email_id is null;
      return null;
    end $$`,
  `create trigger account_roles_end_staff_resets after insert on account_roles
    for each row execute function end_staff_resets_of_account()`,
  `create function end_staff_resets_of_administrator() returns trigger language plpgsql as $$
    begin
      delete from password_resets where account_id = new.id and email_id is null;
      return null;
    end $$`,
  `create trigger accounts_end_staff_resets after update of admin on accounts
    for each row when (new.admin and not old.admin) execute function end_staff_resets_of_administrator()`,
  `create function end_staff_resets_of_role() returns trigger language plpgsql as $$
    begin
      delete from password_resets p using account_roles r
        where r.role_id = new.id and p.account_id = r.account_id and p.email_id is null;
      return null;
    end $$`,
  `create trigger roles_end_staff_resets after update of permissions on roles
    for each row when (new.permissions is distinct from old.permissions)
    execute function end_staff_resets_of_role()`
])
