// Made by `python -m protocol.typescript` from the server's own contract. Not to be changed by hand.

import type { Language } from '../texts.ts'

export const LANGUAGE: Language = {
 "name": "中文",
 "refusals": {},
 "closes": {
  "4000": "服务器看不懂这个客户端[：{said}]",
  "4001": "这份邀请无效或已失效；请向主持人要一份新的",
  "4002": "服务器与客户端版本不同；请更新较旧的一方[（{said}）]",
  "4003": "客户端没有及时表明身份",
  "4004": "这个席位已被撤销；请向主持人要一份新的邀请",
  "4005": "这份邀请已被收回，或已有新的邀请；请向主持人询问",
  "4006": "这份邀请已过期；请向主持人要一份新的",
  "4007": "只有主持人可以从别的座位看",
  "4100": "服务器繁忙；稍后重连",
  "4101": "服务器连不上存储；稍后重连",
  "4102": "网络太慢，跟不上牌桌；稍后重连",
  "4103": "没有收到这个客户端的消息；稍后重连",
  "4104": "这个客户端短时间内发送过多；稍后重连",
  "4105": "这个席位或牌桌的连接太多；稍后重连",
  "4200": "服务器正在重启；立即重连",
  "4201": "此桌现由更新版本的服务器保管；立即重连以寻找它",
  "4202": "你在牌桌上的身份变了；马上回来"
 },
 "lines": {
  "declared": "{unit}：{act:acts}[（{slot:slots}）][，用{ability}][，对{targets}][ – “{text}”]"
 },
 "explanations": {},
 "words": {
  "nth": {
   "1": "下一次行动",
   "2": "今后第2次行动",
   "3": "今后第3次行动",
   "21": "今后第21次行动",
   "22": "今后第22次行动",
   "23": "今后第23次行动"
  },
  "slots": {
   "free": "自由动作",
   "swift": "迅捷动作",
   "move": "移动动作",
   "standard": "标准动作",
   "full_round": "整轮动作",
   "full_turn": "全回合动作",
   "immediate": "反射动作",
   "anytime": "任意动作",
   "simple": "简单动作",
   "reflexive": "反应动作",
   "all_swift": "全部迅捷动作",
   "one_swift": "一个迅捷动作",
   "readied": "准备动作",
   "all": "全部动作",
   "none": "无动作"
  },
  "acts": {
   "attack": "攻击",
   "melee_attack": "近战攻击",
   "ranged_attack": "远程攻击",
   "move": "移动",
   "cast": "施法",
   "speak": "说话",
   "drop_prone": "伏地",
   "use": "使用",
   "counter": "反制",
   "ready": "准备动作",
   "initiative": "先攻"
  },
  "traits": {
   "attack": "攻击",
   "melee_attack": "近战攻击",
   "ranged_attack": "远程攻击",
   "move": "移动",
   "cast": "施法",
   "blade": "白刃",
   "all_out": "全力攻击"
  },
  "conditions": {
   "dead": "死亡",
   "out": "退出战斗",
   "stunned": "震慑",
   "unconscious": "昏迷",
   "prone": "伏地",
   "bound": "束缚",
   "silenced": "沉默",
   "hidden": "隐藏",
   "concentrating": "专注",
   "concentration": "专注"
  },
  "windows": {
   "before": "反应窗口（发生之前）",
   "defence": "防御（检定之后）",
   "gain": "分配中途获得的附加成功",
   "after": "反应窗口（发生之后）",
   "open": "开启",
   "covered": "被打断覆盖",
   "stopped": "计时停止",
   "closed": "关闭"
  },
  "values": {
   "spent": "已用动作",
   "left": "剩余动作",
   "round": "轮",
   "immediates": "剩余反射动作",
   "guard": "剩余防御附加成功",
   "debts": "所欠动作",
   "concentration": "专注",
   "ability": "能力",
   "cost": "费用",
   "due": "须维持",
   "conditions": "状态",
   "secret": "秘密状态",
   "concentrating": "专注中",
   "readied": "有准备动作",
   "hidden": "隐藏",
   "on_stage": "登场",
   "number": "编号",
   "extras": "附加成功",
   "bonus": "每轮额外动作",
   "abilities": "能力",
   "attack": "攻击",
   "defense": "防御",
   "legendary_dexterity": "传奇敏捷",
   "legendary_perception": "传奇感知",
   "hp": "生命",
   "unhurt": "无伤",
   "hurt": "受伤",
   "badly_hurt": "重伤",
   "out": "退出战斗",
   "base": "基础防御",
   "dodge": "闪避防御",
   "parry": "招架防御",
   "takes_away": "从攻击中取走的成功数",
   "absorbs": "伤害吸收",
   "gained": "获得的攻击附加成功",
   "legendary": "其中来自传奇属性",
   "base_less": "基础防御降低",
   "all_out": "已放弃防御",
   "speed": "速度",
   "initiative": "先攻",
   "initiative_bonus": "先攻加值",
   "position": "位置",
   "side": "阵营",
   "name": "名称",
   "owner": "所属",
   "notes": "笔记",
   "attributes": "属性",
   "skills": "技能",
   "strict": "严格",
   "warn": "警告",
   "floor": "最早结束",
   "bluff": "随机结束",
   "fixed": "固定长度",
   "wait": "等待",
   "pass": "放弃",
   "public": "其单位能反应时",
   "always": "总是",
   "all_swift": "全部迅捷动作",
   "one_swift": "一个迅捷动作",
   "damage_and_effect": "伤害与效果",
   "damage_only": "仅伤害",
   "pool": "从骰池",
   "successes": "从成功数",
   "in_effect": "效果上算",
   "in_full": "完全算",
   "no": "否",
   "must_continue": "必须继续",
   "may_continue": "可以继续",
   "on_use": "使用时",
   "on_declare": "准备时",
   "roller": "检定者",
   "defender": "防御者",
   "ten_only": "仅10",
   "shared": "各武器共用",
   "full": "每件武器全额",
   "normal": "照常",
   "off": "关",
   "on": "开",
   "current": "现行版",
   "earlier": "较早版",
   "infinite_horror": "无限恐怖",
   "storyteller": "说书人规则",
   "ends": "结束",
   "goes_on": "继续",
   "at_once": "立即",
   "after_interval": "一个周期之后",
   "stacked": "倍数相加",
   "ordinary": "直接相乘",
   "own_side": "己方显示数字",
   "all": "全部显示数字",
   "words": "文字",
   "none": "不显示",
   "not_at_all": "完全不显示",
   "nameless": "显示为“???”"
  },
  "visibility": {
   "open": "公开",
   "roller": "仅检定者与主持人",
   "st": "仅主持人"
  },
  "roles": {
   "st": "主持人",
   "player": "玩家",
   "spectator": "旁观者"
  },
  "sides": {
   "enemy": "敌人",
   "ally": "盟友"
  },
  "waits": {
   "command": "{kind} 在 {s} 秒内没有得到回答；可能已执行，也可能没有",
   "question": "问题 {kind} 在 {s} 秒内没有得到回答",
   "state": "牌桌在 {s} 秒内没有到达这个状态",
   "seat": "{s} 秒内没有在牌桌就座：{why}"
  },
  "lost": {
   "http": "服务器回答 HTTP {status}",
   "unreachable": "无法连接服务器：{why}",
   "no_table_server": "这个地址没有牌桌服务器应答",
   "silent": "服务器没有动静",
   "broken_off": "连接断开",
   "stopping": "服务器即将停止",
   "no_answer": "没有回答",
   "not_live": "此刻没有与牌桌的连接，什么也没有发出",
   "left": "牌桌已从本端关闭"
  },
  "commands": {
   "declare": "行动",
   "react": "反应",
   "ready": "准备",
   "end_action": "结束行动",
   "leave_fight": "离开战斗",
   "join_fight": "加入战斗",
   "sustain": "维持专注",
   "drop_concentration": "放弃专注",
   "announce": "宣布多个动作",
   "fire": "发动准备动作",
   "pass": "放弃回应",
   "defend": "防御",
   "split_gain": "分配获得的附加成功",
   "more_time": "动用备用时间",
   "withdraw": "收回动作",
   "set_readied_auto": "自动发动",
   "ask_take_back": "请求收回上一个行为",
   "ask_leave": "请求主持人",
   "withdraw_ask": "收回检定要求",
   "roll": "进行要求的检定",
   "start_task": "开始延续动作",
   "roll_task": "继续",
   "drop_task": "放弃",
   "change_scene": "换场景",
   "start_fight": "开始战斗"
  },
  "connection": {
   "connecting": "连接中",
   "online": "已连接",
   "away": "连接中断，正在重连",
   "closed": "已关闭"
  }
 },
 "nouns": {
  "nth": [
   "下一次行动",
   "今后第{n}次行动"
  ],
  "action": [
   "{n}个动作",
   "{n}个动作"
  ],
  "success": [
   "{n}个成功数",
   "{n}个成功数"
  ],
  "change": [
   "{n}项变动",
   "{n}项变动"
  ],
  "extra": [
   "{n}个附加成功",
   "{n}个附加成功"
  ],
  "die": [
   "{n}颗骰子",
   "{n}颗骰子"
  ],
  "round": [
   "{n}轮",
   "{n}轮"
  ],
  "turn": [
   "{n}个回合",
   "{n}个回合"
  ],
  "mistake": [
   "{n}个过失",
   "{n}个过失"
  ],
  "one": [
   "{n}个1",
   "{n}个1"
  ],
  "second": [
   "{n}秒",
   "{n}秒"
  ],
  "minute": [
   "{n}分钟",
   "{n}分钟"
  ],
  "hour": [
   "{n}小时",
   "{n}小时"
  ],
  "day": [
   "{n}天",
   "{n}天"
  ],
  "for_round": [
   "持续{n}轮",
   "持续{n}轮"
  ],
  "for_turn": [
   "持续{n}个回合",
   "持续{n}个回合"
  ],
  "for_second": [
   "持续{n}秒",
   "持续{n}秒"
  ],
  "for_minute": [
   "持续{n}分钟",
   "持续{n}分钟"
  ],
  "for_hour": [
   "持续{n}小时",
   "持续{n}小时"
  ],
  "for_day": [
   "持续{n}天",
   "持续{n}天"
  ],
  "for_week": [
   "持续{n}周",
   "持续{n}周"
  ],
  "for_month": [
   "持续{n}个月",
   "持续{n}个月"
  ],
  "for_year": [
   "持续{n}年",
   "持续{n}年"
  ],
  "for_own_day": [
   "持续本世界的{n}天",
   "持续本世界的{n}天"
  ],
  "for_own_week": [
   "持续本世界的{n}周",
   "持续本世界的{n}周"
  ],
  "for_own_month": [
   "持续本世界的{n}个月",
   "持续本世界的{n}个月"
  ],
  "for_own_year": [
   "持续本世界的{n}年",
   "持续本世界的{n}年"
  ],
  "for_scene": [
   "直到场景变化",
   "持续{n}个场景"
  ],
  "for_film": [
   "直到影片结束",
   "持续{n}部影片"
  ],
  "for_sunrise": [
   "直到下次日出",
   "直到第{n}次日出"
  ],
  "for_sunset": [
   "直到下次日落",
   "直到第{n}次日落"
  ],
  "for_permanent": [
   "永久",
   "永久"
  ]
 },
 "between": "、",
 "yes": "是",
 "no": "否",
 "nothing": "无",
 "maximum": "{of}上限",
 "somebody": "有人",
 "storyteller": "主持人",
 "for_seat": "{st}代{seat}",
 "unknown_refusal": "服务器拒绝了（{code}）",
 "unknown_close": "连接已结束[（{code}）][：{said}]",
 "unknown_line": "发生了此客户端不认识的事（{kind}）",
 "unknown_explanation": "此客户端不知道{name}何时结束",
 "unnamed_seat": "某席位",
 "operator": "服务器的管理者",
 "and_more": "{some} 等，另有 {n} 个",
 "always_named": [
  "unit"
 ]
}
