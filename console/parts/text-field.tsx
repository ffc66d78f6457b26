interface Props {
  label: string
  value: string
  change(value: string): void
  type?: 'text' | 'email' | 'number'
  placeholder?: string
  isOptional?: boolean
  maxLength?: number
  min?: number
}

export const TextField = ({ label, value, change, type = 'text', isOptional = false, ...rest }: Props) => (
  <label className="field">
    <span>{label}</span>
    <input
      type={type}
      required={!isOptional}
      value={value}
      onChange={(event) => change(event.target.value)}
      maxLength={256}
      {...rest}
    />
  </label>
)
