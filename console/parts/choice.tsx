interface Props<Key extends string> {
  label: string
  options: Readonly<Partial<Record<NoInfer<Key>, string>>>
  value: Key
  choose(value: NoInfer<Key>): void
}

/** One of a few, by name. */
export function Choice<Key extends string>({ label, options, value, choose }: Props<Key>) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.target.value as Key)}>
        {(Object.keys(options) as Key[]).map((key) => (
          <option key={key} value={key}>
            {options[key]}
          </option>
        ))}
      </select>
    </label>
  )
}
