// The house rules that are one of several words. A test compares it with the server's own.

export const CHOICES: Readonly<Record<string, readonly string[]>> = {
  enforce: ['strict', 'warn'],
  ruleset: ['infinite_horror', 'storyteller'],
  edition: ['current', 'earlier'],
  window_mode: ['floor', 'bluff', 'fixed'],
  absent: ['wait', 'pass'],
  st_asked: ['public', 'always'],
  immediate_cost: ['all_swift', 'one_swift'],
  area_doubling: ['damage_and_effect', 'damage_only'],
  defense_from: ['pool', 'successes'],
  readied_is_immediate: ['in_effect', 'in_full', 'no'],
  interrupted_by_readied: ['must_continue', 'may_continue'],
  readied_debt: ['on_use', 'on_declare'],
  opposed_tie: ['roller', 'defender'],
  chance_again: ['ten_only', 'normal'],
  own_extras_per_weapon: ['shared', 'full'],
  relaxed_defense: ['off', 'on'],
  concentration_over_scenes: ['ends', 'goes_on'],
  extended_first_roll: ['at_once', 'after_interval'],
  extended_mistakes: ['off', 'on'],
  mixed_multipliers: ['stacked', 'ordinary'],
  hp_shown: ['own_side', 'all', 'words', 'none'],
  hidden_shown: ['not_at_all', 'nameless'],
}

/** The kinds of acts that a house rule can name. */
export const ACTS: readonly string[] = ['attack', 'melee_attack', 'ranged_attack', 'move', 'cast', 'speak', 'drop_prone', 'use', 'counter']
