"""The public cases of peers, retyped as facts: what we agree on, and where we decide otherwise and why.

Sources: datatrove 0.10 `tests/pipeline/filters/test_pii_removal.py`; data-juicer 1.4 `tests/ops/mapper/`, the files
`test_clean_{email,ip}_mapper.py`; presidio 2.2 `presidio-analyzer/tests/`, the files
`test_{credit_card,ip,phone,email}_recognizer.py`.
"""

from __future__ import annotations

import pytest
from tests.stages.privacy.tables import case

from headrace.stages.privacy.find import personal_data

DATATROVE = (
    # its IP table
    "999.999.999.999.", "108.0.0.01", "0.1.2.3", "00.0000.00.00", "192.168.l.1", "912.456.123.123", "192.168.o.0",
    "172.16.0.9", "172.16.4.1", "172.17.1.1", "127.0.0.2", "10.0.1.5", "10.0.0.1", "10.155.155.155", "10.255.255.254",
    "172.31.254.254", "192.168.1.2", "192.168.254.0",
    "⟦ipv4|163.36.107.25⟧", "⟦ipv4|114.35.103.54⟧", "⟦ipv4|57.120.21.121⟧", "⟦ipv4|13.83.69.70⟧",
    "⟦ipv4|29.116.31.158⟧", "⟦ipv4|193.163.229.23⟧", "⟦ipv4|211.160.67.46⟧", "⟦ipv4|4.132.211.142⟧",
    "⟦ipv4|214.70.227.4⟧", "⟦ipv4|35.88.121.75⟧",
    # its e-mail table
    "⟦email@example.com⟧", "⟦firstname.lastname@example.com⟧", "⟦email@subdomain.example.com⟧",
    "⟦firstname+lastname@example.com⟧", '"email"@example.com', "⟦1234567890@example.com⟧", "⟦email@example-one.com⟧",
    "⟦_______@example.com⟧", "⟦email@example.name⟧", "⟦email@example.museum⟧", "⟦email@example.co.jp⟧",
    "⟦firstname-lastname@example.com⟧", "⟦NAME@MYSITE.COM⟧", "much.”more\\ unusual”@example.com",
    "very.unusual.”@”.⟦unusual.com@example.com⟧", 'very@\\ "very”.⟦unusual@strange.example.com⟧',
    "plainaddress", "#@%^%#$@#$@#.com", "@example.com", "Joe Smith <⟦email@example.com⟧>", "email.example.com",
    "email@⟦example@example.com⟧", ".⟦email@example.com⟧", "あいうえお@example.com", "⟦email@example.com⟧ (Joe Smith)",
    "email@example", "email@-example.com", "email@example..com", "”(),:;<>[\\]@example.com",
    "just”not”⟦right@example.com⟧", 'this\\ is"really"not\\⟦allowed@example.com⟧',
)  # fmt: skip
DATATROVE_OTHERWISE = (
    (".3.3.3.0", ".IP", "four small numbers behind a dot are the end of a version or a section"),
    ("email@⟦ipv4|123.123.123.123⟧", "EMAIL", "a number is no domain: the address behind the @ is what we mask"),
    ("email@[⟦ipv4|123.123.123.123⟧]", "EMAIL", "the same in brackets"),
    ("⟦email.@example.com⟧", "email.@example.com", "no RFC allows it, but it is somebody's address all the same"),
    ("⟦email..email@example.com⟧", "email..EMAIL", "the whole goes, not the half behind two dots"),
    ("⟦Abc..123@example.com⟧", "Abc..EMAIL", "the same"),
    ("email@example.web", "EMAIL", "no name ends with .web: in code and file names there are many such"),
    ("email@111.222.333.44444", "EMAIL", "neither a domain nor an address"),
)
DATA_JUICER = (
    "happy day ⟦euqdh@cjqi.com⟧", "请问你是谁dasoidhao@1264fg.45om", "ft174.1421.237.246my", "⟦ipv4|34.0.124.123⟧",
    "ft1926:43a1:fcb5:ees06:ae63:a2a4:c656:d014my",
)  # fmt: skip
DATA_JUICER_OTHERWISE = (
    ("ftp://examplema-nièrdash@hqbchd.ckdhnfes.cds", "<EMAIL>", "nothing ends with .cds"),
    ("👊23da44sh12@46hqb12chd.ckdhnfes.comd.dasd.asd.dc", "👊<EMAIL>", "nothing ends with .dc"),
    ("test of ip 234.128.124.123", "<IP>", "multicast names no host"),
    ("ftp://example.com/188.46.244.216my-page.html", "<IP>", "a number that letters touch is a part of a name"),
    ("dd41:cbaf:d1b4:10a0:b215:72e3:6eaf:3ecb", "", "local: only 2000::/3 is public"),
    ("test of ip 4394:538a:3bf3:61c3:cb0d:d214:526f:70d", "", "not assigned"),
    ("com/f770:c52e:ddce:3a9f:8c3b:a7bd:d81f:985cmy-page.html", "", "not assigned, and glued to a name"),
)
PRESIDIO = (
    "⟦bank_card|4012888888881881⟧ ⟦bank_card|4012-8888-8888-1881⟧ ⟦bank_card|4012 8888 8888 1881⟧",
    "my credit card: ⟦bank_card|122000000000003⟧", "⟦bank_card|371449635398431⟧", "⟦bank_card|5555555555554444⟧",
    "⟦bank_card|5019717010103742⟧", "⟦bank_card|30569309025904⟧", "⟦bank_card|6011000400000000⟧",
    "⟦bank_card|3528000700000000⟧", "⟦bank_card|6759649826438453⟧", "⟦bank_card|4111111111111111⟧",
    "⟦bank_card|4917300800000000⟧", "⟦bank_card|4484070000000000⟧", "4012-8888-8888-1882", "36168002586008",
    "my credit card number is 4012-8888-8888-1882", "my credit card number is 36168002586008",
    "⟦info@presidio.site⟧", "try one of this emails: ⟦info@presidio.site⟧ or ⟦anotherinfo@presidio.site⟧",
    "the email is my email is info@presidio.",
    "⟦ipv6|2345:0425:2CA1:0000:0000:0567:5673:23b5⟧", "⟦ipv6|2345:0425:2CA1::0567:5673:23b5⟧",
    "my ip is ⟦ipv6|2400:c401::5054:ff:fe1b:b031⟧", "Server IP: ⟦ipv6|2400:c401::5054:ff:fe1b:b031⟧.",
    "my ip: 192.168.0", "684D:1111:222:3333:4444:5555:77", "::ffff:256.0.0.1", "::ffff:192.168.1",
    "2001:db8::256.1.1.1",
    "MAC address aa:bb:cc:dd:ee:ff", "Time 12:34:56", "Ratio 1:2:3:4", "CSS color #ff00aa", "Version 1.2.3",
    "Port 80:443", "abc:def:ghi", "123:abc", "file:///path/to/file", "std::cout", "MyClass::toString", ":::",
    "fe80::1text", "text2001:db8::1", "256.256.256.256", "192.168.1.256", "gggg:hhhh::1234", "192.168.1", "300.168.1.1",
    "12345:db8::1", "2001::db8::1",
    "My US number is ⟦phone|(415) 555-0132⟧, and my international one is ⟦phone|+1 415 555 0132⟧",
)  # fmt: skip
PRESIDIO_OTHERWISE = (
    ("122000000000003", "credit card", "an airline's account; without a word it may be anything"),
    ("microsoft.com 192.168.0.1", "IP", "private addresses name nobody, and stay"),
    ("Use local ipv6 ::", "IP", "no address of anybody"),
    ("my ip: ::1", "IP", "loopback"),
    ("2001:db8::8a2e:370:7334", "IP", "for documents (RFC 3849)"),
    ("my ip: 684D:1111:222:3333:4444:5555:6:77", "IP", "not assigned"),
    ("::ffff:10.0.0.1", "IP", "embeds a private address"),
    ("0:0:0:0:0:FFFF:⟦ipv4|129.144.52.38⟧", "IP", "of this way of writing only the IPv4 address is found"),
    ("192.168.1.0/24", "IP", "a private network"),
    ("My Israeli number is 09-7625400", "phone", "national numbers are those of China and North America"),
)


def parts(rows: tuple[str | tuple[str, str, str], ...]) -> list[str]:
    return [row if isinstance(row, str) else row[0] for row in rows]


@pytest.mark.parametrize(
    "rows",
    [DATATROVE, DATATROVE_OTHERWISE, DATA_JUICER, DATA_JUICER_OTHERWISE, PRESIDIO, PRESIDIO_OTHERWISE],
    ids=["datatrove", "datatrove otherwise", "data-juicer", "data-juicer otherwise", "presidio", "presidio otherwise"],
)
def test_peers_cases(rows: tuple[str | tuple[str, str, str], ...]) -> None:
    """Each text gives what its brackets say; where a row has three parts, the second is what the peer gives."""
    expected = [case(text, "email") for text in parts(rows)]
    found = [tuple((item.kind, item.text) for item in personal_data(one.text)) for one in expected]
    assert found == [one.found for one in expected]


def test_whole_tables_of_datatrove_are_masked_line_by_line() -> None:
    """As one document the table gives what its lines give alone."""
    expected = [case(text, "email") for text in DATATROVE]
    items = personal_data("\n".join(one.text for one in expected))
    assert [(item.kind, item.text) for item in items] == [found for one in expected for found in one.found]
