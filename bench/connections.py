"""Connections of a network, as many as asked for, in KDD Cup 99's columns:

    python3 bench/connections.py ROWS OUT

Its kinds in about its shares: floods of echo replies, nearly all alike (57 percent), floods of
half-open connections whose counters differ (22 percent), and ordinary ones, nearly all different.
They come in turns, as there. For timing only: the figures are drawn from rough guesses.
"""
import random
import sys

SERVICES = (["tcp,http"] * 64 + ["tcp,smtp"] * 10 + ["udp,private"] * 8 + ["udp,domain_u"] * 6
            + ["tcp,ftp_data"] * 4 + ["tcp,other"] * 3 + ["tcp,finger"] * 2 + ["icmp,eco_i", "tcp,auth",
                                                                          "tcp,telnet"])


def share(part, whole):
    return f"{min(1.0, part / whole):.2f}"


def rarely(r, often, value):
    """`value()`, one time in `often`; else a zero."""
    return f"{value():.2f}" if r.random() * often < 1 else "0.00"


def ordinary(r):
    service = r.choice(SERVICES)
    tcp = service.startswith("tcp")
    duration = int(r.expovariate(0.005)) if r.random() < 0.1 else 0
    sent = int(r.lognormvariate(5.4, 0.7)) if tcp else r.choice((30, 44, 105, 146))
    got = int(r.lognormvariate(7.2, 1.4)) if tcp else r.choice((0, 44, 105, 146))
    count = min(511, 1 + int(r.expovariate(0.15)))
    same = min(511, count + int(r.expovariate(0.3)))
    hosts = r.randint(1, 255)
    here = 255 if r.random() < 0.6 else r.randint(1, 255)
    hot = int(r.expovariate(1)) if r.random() < 0.03 else 0
    files = int(r.expovariate(1)) if r.random() < 0.01 else 0
    return (f"{duration},{service},{'SF' if r.random() < 0.95 else 'REJ'},{sent},{got},0,0,0,{hot},0,"
            f"{int(tcp)},0,0,0,0,{files},0,{files // 2},0,0,0,{count},{same},"
            f"{rarely(r, 30, r.random)},{rarely(r, 30, r.random)},{rarely(r, 20, r.random)},"
            f"{rarely(r, 20, r.random)},1.00,0.00,{rarely(r, 3, r.random)},{hosts},{here},"
            f"{share(here, hosts)},{rarely(r, 3, lambda: 0.1 * r.random())},{share(1, hosts)},"
            f"{rarely(r, 2, lambda: 0.1 * r.random())},{rarely(r, 15, lambda: 0.2 * r.random())},"
            f"{rarely(r, 15, lambda: 0.2 * r.random())},{rarely(r, 15, r.random)},"
            f"{rarely(r, 15, r.random)},normal.")


def flood(i):
    """Echo replies: their counters fill up, then nothing changes."""
    count, hosts = min(511, 100 + 40 * i), min(255, 10 * (i + 1))
    return ("0,icmp,ecr_i,SF,1032,0" + ",0" * 16 + f",{count},{count},0.00,0.00,0.00,0.00,1.00,0.00,"
            f"0.00,{hosts},{hosts},1.00,0.00,1.00,0.00,0.00,0.00,0.00,0.00,smurf.")


def half_open(r):
    count, same, here = 100 + 5 * r.randint(0, 30), r.randint(1, 20), r.randint(1, 20)
    away = f"0.0{r.randint(5, 7)}"
    failed = "1.00,1.00,0.00,0.00" if r.random() < 0.8 else "0.00,0.00,1.00,1.00"
    return (f"0,tcp,private,{'S0' if failed[0] == '1' else 'REJ'},0,0" + ",0" * 16
            + f",{count},{same},{failed},{share(same, count)},{away},0.00,255,{here},"
            f"{share(here, 255)},{away},0.00,0.00,{failed},neptune.")


def records(rows):
    """Stretches of some thousand of one kind, always that which is furthest behind its share."""
    r = random.Random(1)
    shares, made = {"flood": 0.575, "half open": 0.22, "ordinary": 0.205}, dict.fromkeys(
        ("flood", "half open", "ordinary"), 0)
    while sum(made.values()) < rows:
        kind = min(made, key=lambda k: made[k] / shares[k])
        length = min(1 + int(r.expovariate(1 / 4000) * shares[kind]), rows - sum(made.values()))
        made[kind] += length
        for i in range(length):
            yield (flood(i) if kind == "flood" else
                   half_open(r) if kind == "half open" else ordinary(r))


def main():
    with open(sys.argv[2], "w") as out:
        out.writelines(line + "\n" for line in records(int(sys.argv[1])))


if __name__ == "__main__":
    main()
