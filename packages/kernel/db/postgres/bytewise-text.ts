// Text is compared by its bytes on SQLite, and by the rules of some language on most PostgreSQL databases.
// Migrations get bytewise columns on both, so that orders, ranges and list cursors mean the same.
import {
  type ColumnDefinitionNode,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  RawNode,
  type RootOperationNode,
  sql,
  type UnknownRow,
} from 'kysely'

class TextColumns extends OperationNodeTransformer {
  protected override transformColumnDefinition(node: ColumnDefinitionNode): ColumnDefinitionNode {
    const column = super.transformColumnDefinition(node)
    const { dataType } = column
    if (dataType.kind !== 'DataTypeNode' || !('dataType' in dataType) || dataType.dataType !== 'text') return column
    return { ...column, dataType: RawNode.createWithSql('text collate "C"') }
  }
}

export class BytewiseText implements KyselyPlugin {
  readonly #columns = new TextColumns()

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return this.#columns.transformNode(node)
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }
}

/** A column made by raw SQL escapes the plugin; better no start than lists that skip objects. */
export async function refuseLocaleText<Tables>(connection: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and data_type in ('text', 'character varying', 'character')
      and collation_name is distinct from 'C'
    order by 1`.execute(connection)
  if (rows.length === 0) return
  const names = rows.map((row) => row.name).join(', ')
  throw new Error(`these columns are not ordered by bytes: ${names}; declare them as text by the schema builder`)
}
