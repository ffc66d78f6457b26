interface Props<Role extends string> {
  /** Whose, for those who cannot see the row. */
  of: string
  roles: Readonly<Record<Role, string>>
  value: Role
  choose(role: NoInfer<Role>): void
}

/** A role in a row of a table: it changes at once. */
export const RoleChoice = <Role extends string>({ of, roles, value, choose }: Props<Role>) => (
  <select
    className="role-choice"
    aria-label={`Role of ${of}`}
    value={value}
    onChange={({ target }) => choose(target.value as Role)}
  >
    {(Object.keys(roles) as Role[]).map((role) => (
      <option key={role}>{role}</option>
    ))}
  </select>
)
