import { Choice } from '../../parts/choice.tsx'

interface Props {
  models: string[]
  value: string
  choose(id: string): void
}

export const ModelField = ({ models, value, choose }: Props) => (
  <Choice
    label="Model"
    options={Object.fromEntries(models.map((id) => [id, id]))}
    value={value === '' ? (models[0] ?? '') : value}
    choose={choose}
  />
)
